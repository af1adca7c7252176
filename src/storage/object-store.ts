import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { Unavailable } from '../errors/index.js';
import { checkedKey } from './object-key.js';

/** Key of the owner note. No object key starts with a dot. */
export const NOTE = '.owner';

/** Address of an object, kept in the document record. */
interface ObjectAddress {
  readonly bucket: string;
  readonly key: string;
}

export interface StoredObject extends ObjectAddress {
  /** Bytes. */
  readonly size: number;
  /** Hexadecimal SHA-256 of the bytes. */
  readonly sha256: string;
}

export interface ListedObject {
  readonly key: string;
  readonly size: number;
  readonly modifiedAt: Date;
}

/** Bytes from `start` to `end`, both included, counted from 0. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** A note in a store, which names the owner of the store. */
export interface OwnerNote {
  /** Id of the store, renewed with every change of owner. */
  readonly id: string;
  /** Database that owns the store ({@link StoreOwnership}). */
  readonly database: string;
}

export interface FoundNote extends OwnerNote {
  /** False if the note is a copy, and therefore the store is a copy too. */
  readonly isInPlace: boolean;
}

/** Result for a note whose format this version does not know. */
const UNREADABLE: FoundNote = { id: 'unreadable', database: 'unreadable', isInPlace: true };

/**
 * Serialises a note.
 * @param place inode of the note's file or name of the bucket, which are different in a copy of the store
 */
export function printNote({ id, database }: OwnerNote, place: string): string {
  return JSON.stringify({ id, database, place });
}

/** Parses a note. @param place inode or bucket from which the note was read; see {@link printNote} */
export function parseNote(text: string, place: string): FoundNote {
  try {
    const { id, database, place: written } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    if (typeof id !== 'string' || typeof database !== 'string') return UNREADABLE;
    return { id, database, isInPlace: written === place };
  } catch {
    return UNREADABLE;
  }
}

/** The store does not answer, or rejects the request. */
export class StoreUnavailable extends Unavailable {
  readonly storeCode: string | undefined;

  /** @param remedy advice for the operator, with the names of settings; follows the message after a colon */
  constructor(
    message: string,
    readonly remedy: string,
    { storeCode, cause }: { readonly storeCode?: string; readonly cause?: unknown } = {},
  ) {
    super(message, 5, { cause });
    this.storeCode = storeCode;
  }
}

/** Whether this process may change the store; `unknown` while the store does not answer. */
export type Changeability = 'allowed' | 'forbidden' | 'unknown';

/**
 * Stores objects, which are bytes under a key. `objectKey` builds the keys. A write is atomic, and an object never
 * changes.
 *
 * Methods throw `NotFound` for a missing key. They throw `Unavailable` when the store is down or rejects the request,
 * and when this process may not change the store.
 */
export abstract class ObjectStore {
  abstract readonly bucket: string;

  private permission: () => Promise<void> = () => Promise.resolve();

  /**
   * Calls `permission` before every change of the store.
   * @param permission throws if this process may not change the store
   */
  changeOnlyWith(permission: () => Promise<void>): void {
    this.permission = permission;
  }

  /**
   * Tells whether this process may change the store. Returns false while the store does not answer. The permission
   * function logs why a change is not allowed.
   */
  async isChangeable(): Promise<boolean> {
    return (await this.changeability()) === 'allowed';
  }

  /** @param withinMs maximum wait for the store, after which the result is `unknown` */
  async changeability(withinMs?: number): Promise<Changeability> {
    const answer = this.permission().then(
      (): Changeability => 'allowed',
      (error: unknown): Changeability => (error instanceof StoreUnavailable ? 'unknown' : 'forbidden'),
    );
    if (withinMs === undefined) return answer;
    return Promise.race([answer, delay(withinMs, 'unknown' as const, { ref: false })]);
  }

  /**
   * Stores the bytes. The bytes survive a crash once this method has returned. If it throws, for example because the
   * content was interrupted or `signal` was aborted, the key is unchanged.
   *
   * @param contentType media type, which some stores keep with the object
   */
  async put(
    key: string,
    content: Uint8Array | Readable,
    contentType?: string,
    signal?: AbortSignal,
  ): Promise<StoredObject> {
    checkedKey(key);
    try {
      await this.permission();
    } catch (error) {
      if (content instanceof Readable) content.destroy();
      throw error;
    }
    return this.write(key, content, contentType, signal);
  }

  protected abstract write(
    key: string,
    content: Uint8Array | Readable,
    contentType?: string,
    signal?: AbortSignal,
  ): Promise<StoredObject>;

  /** @throws NotFound */
  abstract get(key: string, range?: ByteRange): Promise<Readable>;

  /** Returns the size in bytes, or undefined if the object is missing. */
  abstract size(key: string): Promise<number | undefined>;

  /** Removes the object. Idempotent. */
  async delete(key: string): Promise<void> {
    checkedKey(key);
    await this.permission();
    return this.remove(key);
  }

  protected abstract remove(key: string): Promise<void>;

  /** Lists the objects below a prefix of whole segments (`tenant/document`), in no particular order. */
  abstract list(prefix?: string): AsyncIterable<ListedObject>;

  /** Removes every object below a prefix. @returns the number of objects */
  async deletePrefix(prefix: string): Promise<number> {
    checkedKey(prefix);
    await this.permission();
    return this.removeBelow(prefix);
  }

  protected abstract removeBelow(prefix: string): Promise<number>;

  /**
   * Checks that objects can be added, without adding one. By default it checks nothing, because a remote store reports
   * an obstacle only on a write.
   * @throws StoreUnavailable with a message that names the obstacle.
   */
  requireWritable(): Promise<void> {
    return Promise.resolve();
  }

  /** Returns the owner note, or undefined if none exists. The note does not count as an object. */
  abstract readNote(): Promise<FoundNote | undefined>;

  /**
   * Writes the owner note atomically.
   * @param replace whether to replace an existing note
   * @returns false if `replace` is false and a note exists; the note is then unchanged
   */
  abstract writeNote(note: OwnerNote, replace: boolean): Promise<boolean>;

  /** Reads the whole object into memory. @throws NotFound */
  async getBytes(key: string): Promise<Buffer> {
    const size = (await this.size(key)) ?? 0;
    // Joining parts at the end would need twice the memory.
    const bytes = Buffer.allocUnsafeSlow(size);
    let filled = 0;
    for await (const part of await this.get(key)) filled += (part as Buffer).copy(bytes, filled);
    if (filled !== size) throw new Unavailable('The file could not be read completely; try again');
    return bytes;
  }

  async exists(key: string): Promise<boolean> {
    return (await this.size(key)) !== undefined;
  }
}
