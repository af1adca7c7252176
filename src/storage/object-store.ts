import type { Readable } from 'node:stream';
import { Unavailable } from '../errors/index.js';

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

/**
 * Port: bytes by key. Keys are made by `objectKey`; an object is written once, whole or not at all, and never changed.
 *
 * Failures: `NotFound` for a key that is not there, `Unavailable` when the store is down or refuses.
 */
export abstract class ObjectStore {
  abstract readonly bucket: string;

  /**
   * Stores the bytes. When it returns they survive a crash; when it throws (the content broke off, `signal` was
   * aborted) there is nothing at the key that was not there before.
   *
   * @param contentType kept by stores that keep one.
   */
  abstract put(
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
  abstract delete(key: string): Promise<void>;

  /** Objects below a prefix of whole segments (`tenant/document`), in no particular order. */
  abstract list(prefix?: string): AsyncIterable<ListedObject>;

  /** Removes every object below a prefix. @returns how many there were. */
  abstract deletePrefix(prefix: string): Promise<number>;

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
