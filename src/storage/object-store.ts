import { Readable } from 'node:stream';
import { Unavailable } from '../errors/index.js';
import { checkedKey } from './object-key.js';

/** Where the note about the owner lies. No key of an object starts with a dot. */
export const NOTE = '.owner';

/** Where an object lies; both go into the document record. */
interface ObjectAddress {
  readonly bucket: string;
  readonly key: string;
}

export interface StoredObject extends ObjectAddress {
  /** Bytes. */
  readonly size: number;
}

export interface ListedObject {
  readonly key: string;
  readonly size: number;
  readonly modifiedAt: Date;
}

/** Bytes from `start` to `end`, both included and counted from 0. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** What is written in a store about whose it is. */
export interface OwnerNote {
  /** Of the store, new whenever somebody makes it theirs. */
  readonly id: string;
  /** That it belongs to ({@link StoreOwnership}). */
  readonly database: string;
}

/** A note that was found. */
export interface FoundNote extends OwnerNote {
  /** False: the note, and with it the store, was copied here from elsewhere. */
  readonly isInPlace: boolean;
}

/** What stands in the note was not written by a service that this one knows. */
const UNREADABLE: FoundNote = { id: 'unreadable', database: 'unreadable', isInPlace: true };

/** A note as it is stored. @param place where it is written, as far as the store can tell itself from a copy of it */
export function printNote({ id, database }: OwnerNote, place: string): string {
  return JSON.stringify({ id, database, place });
}

/** @param place where it was found */
export function parseNote(text: string, place: string): FoundNote {
  try {
    const { id, database, place: written } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    if (typeof id !== 'string' || typeof database !== 'string') return UNREADABLE;
    return { id, database, isInPlace: written === place };
  } catch {
    return UNREADABLE;
  }
}

/** The store does not answer, or refuses. */
export class StoreUnavailable extends Unavailable {
  /** What the store calls its refusal. */
  readonly storeCode: string | undefined;

  /** @param mend what an operator looks at, as the end of a sentence that names settings. */
  constructor(
    message: string,
    readonly mend: string,
    { storeCode, cause }: { readonly storeCode?: string; readonly cause?: unknown } = {},
  ) {
    super(message, 5, { cause });
    this.storeCode = storeCode;
  }
}

/**
 * Port: bytes by key. Keys are made by `objectKey`; an object is written once, whole or not at all, and never changed.
 *
 * Failures: `NotFound` for a key that is not there, `Unavailable` when the store is down or refuses, or is not to be
 * changed by this process.
 */
export abstract class ObjectStore {
  abstract readonly bucket: string;

  private permission: () => Promise<void> = () => Promise.resolve();

  /** From now on asks for a permission before it changes anything. @param permission throws where there is none. */
  changeOnlyWith(permission: () => Promise<void>): void {
    this.permission = permission;
  }

  /** Whether this process may change what is stored; no while that cannot be told. Whoever knows why says so in the log. */
  isChangeable(): Promise<boolean> {
    return this.permission().then(
      () => true,
      () => false,
    );
  }

  /**
   * Stores the bytes. When it returns they survive a crash; when it throws (the content broke off, `signal` was
   * aborted) there is nothing at the key that was not there before.
   *
   * @param contentType kept by stores that keep one.
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

  /** Bytes of the object; undefined when it is not there. */
  abstract size(key: string): Promise<number | undefined>;

  /** Removes the object; one that is not there is fine. */
  async delete(key: string): Promise<void> {
    checkedKey(key);
    await this.permission();
    return this.remove(key);
  }

  protected abstract remove(key: string): Promise<void>;

  /** Objects below a prefix of whole segments (`tenant/document`), in no particular order. */
  abstract list(prefix?: string): AsyncIterable<ListedObject>;

  /** Removes every object below a prefix. @returns how many there were. */
  async deletePrefix(prefix: string): Promise<number> {
    checkedKey(prefix);
    await this.permission();
    return this.removeBelow(prefix);
  }

  protected abstract removeBelow(prefix: string): Promise<number>;

  /**
   * A look whether objects can be added, without adding one. A store behind an address tells when it is asked.
   * @throws StoreUnavailable that says what is in the way.
   */
  requireWritable(): Promise<void> {
    return Promise.resolve();
  }

  /** The note about whose store this is; undefined when nobody has written one. It is no object. */
  abstract readNote(): Promise<FoundNote | undefined>;

  /**
   * Writes the note, whole or not at all.
   * @param replace false: only where there is none
   * @returns false when there was one.
   */
  abstract writeNote(note: OwnerNote, replace: boolean): Promise<boolean>;

  /** The whole object in memory. @throws NotFound */
  async getBytes(key: string): Promise<Buffer> {
    const size = (await this.size(key)) ?? 0;
    // Parts that were put together at the end would take twice the size of the object.
    const bytes = Buffer.allocUnsafeSlow(size);
    let filled = 0;
    for await (const part of await this.get(key)) filled += (part as Buffer).copy(bytes, filled);
    if (filled !== size) throw new Unavailable('The file could not be read whole; try again');
    return bytes;
  }

  async exists(key: string): Promise<boolean> {
    return (await this.size(key)) !== undefined;
  }
}
