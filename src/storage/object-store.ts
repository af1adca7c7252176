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

/** Note in a store that names its owner. */
export interface OwnerNote {
  /** Id of the store, renewed with every change of owner. */
  readonly id: string;
  /** Database that owns the store ({@link StoreOwnership}). */
  readonly database: string;
}

/** A note read from a store. */
export interface FoundNote extends OwnerNote {
  /** False when the note, and therefore the store, is a copy. */
  readonly isInPlace: boolean;
}

/** The note has a format that this version does not know. */
const UNREADABLE: FoundNote = { id: 'unreadable', database: 'unreadable', isInPlace: true };

/** Serialises a note. @param place location of the note, which distinguishes a store from its copies if it can */
export function printNote({ id, database }: OwnerNote, place: string): string {
  return JSON.stringify({ id, database, place });
}

/** @param place location from which the note was read */
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
  /** Error code of the store. */
  readonly storeCode: string | undefined;

  /** @param remedy for the operator: the end of a sentence, with the names of settings */
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
 * Port for bytes by key. `objectKey` builds the keys. A write is atomic, and an object never changes.
 *
 * Throws `NotFound` for a missing key, and `Unavailable` when the store is down, rejects the request, or must not be
 * changed by this process.
 */
export abstract class ObjectStore {
  abstract readonly bucket: string;

  private permission: () => Promise<void> = () => Promise.resolve();

  /** Requires a permission before every change. @param permission throws when it is denied */
  changeOnlyWith(permission: () => Promise<void>): void {
    this.permission = permission;
  }

  /** Tells whether this process may change the store; false while unknown. The permission logs its reason. */
  async isChangeable(): Promise<boolean> {
    return (await this.changeability()) === 'allowed';
  }

  /** @param withinMs maximum wait for the store; after it the result is `unknown` */
  async changeability(withinMs?: number): Promise<Changeability> {
    const answer = this.permission().then(
      (): Changeability => 'allowed',
      (error: unknown): Changeability => (error instanceof StoreUnavailable ? 'unknown' : 'forbidden'),
    );
    if (withinMs === undefined) return answer;
    return Promise.race([answer, delay(withinMs, 'unknown' as const, { ref: false })]);
  }

  /**
   * Stores the bytes. After it returns they survive a crash. When it throws (interrupted content, abort of `signal`), the
   * key is unchanged.
   *
   * @param contentType kept by stores that support it
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

  /** Returns the size in bytes; undefined for a missing object. */
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
   * Checks whether objects can be added, without adding one. A remote store reports this only on a write.
   * @throws StoreUnavailable with the obstacle.
   */
  requireWritable(): Promise<void> {
    return Promise.resolve();
  }

  /** Returns the owner note, which is not an object; undefined when none exists. */
  abstract readNote(): Promise<FoundNote | undefined>;

  /**
   * Writes the owner note atomically.
   * @param replace false writes only when no note exists
   * @returns false when a note exists
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
