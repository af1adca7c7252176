import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { v7 } from 'uuid';
import { type Scope, tenantOf } from '../../auth/scope.js';
import type { StoredFile } from '../../corpus/document-row.js';
import type { Queryable } from '../../database/run.js';
import { Unavailable } from '../../errors/index.js';
import { ObjectTombstones } from '../../ingestion/object-tombstones.js';
import { objectKey } from '../../storage/object-key.js';
import { ObjectStore } from '../../storage/object-store.js';

/** Stored bytes that no document refers to yet. */
export interface StoredSource {
  readonly documentId: string;
  readonly bucket: string;
  readonly key: string;
  readonly size: number;
  /** Hexadecimal SHA-256; null for files that earlier versions of the service stored. */
  readonly sha256: string | null;
}

/**
 * Returns the entry in the document's `storage_files`, without the version.
 * @param contentType as declared by the client
 */
export function storedFileOf(
  { bucket, key, size, sha256 }: StoredSource,
  filename: string | null,
  contentType: string,
): Omit<StoredFile, 'version'> {
  const timestamp = new Date().toISOString();
  const sum = sha256 === null ? {} : { sha256 };
  return { bucket, key, filename, content_type: contentType, timestamp, size, ...sum };
}

/** An upload that has not become a document within this time counts as abandoned. */
const ABANDONED_AFTER_SECONDS = 3_600;

/**
 * Returns a new document id: a UUID version 7 (RFC 9562), which starts with a timestamp. Documents that are created
 * together are therefore adjacent in the indexes on documents and chunks, and lookups read fewer index pages.
 */
export function newDocumentId(): string {
  return v7();
}

/** Returns the key prefix of all objects of a document. Because of its final slash, it does not match longer ids. */
export function documentPrefix(appId: string, documentId: string): string {
  return `${objectKey(tenantOf(appId), documentId)}/`;
}

/** Stores sources. Leaves no orphaned objects, even if the process is killed. */
@Injectable()
export class SourceStore {
  constructor(
    private readonly objects: ObjectStore,
    private readonly tombstones: ObjectTombstones,
  ) {}

  /** Stores bytes for a document that may not exist yet. The caller must call `keep` or `discard` afterwards. */
  async put(
    scope: Scope,
    documentId: string,
    content: Uint8Array | Readable,
    contentType: string,
  ): Promise<StoredSource> {
    const key = objectKey(tenantOf(scope.appId), documentId, randomUUID());
    const tombstone = { appId: scope.appId, key };
    await this.tombstones.add(tombstone, ABANDONED_AFTER_SECONDS);
    try {
      return { documentId, ...(await this.objects.put(key, content, contentType)) };
    } catch (error) {
      await this.tombstones.deleteObjects(tombstone);
      throw error;
    }
  }

  /**
   * Marks the source as used. Runs in the transaction that makes a document refer to the source.
   *
   * @throws Unavailable if the upload took so long that it was removed as abandoned.
   */
  async keep(manager: Queryable, scope: Scope, { key }: StoredSource): Promise<void> {
    if (!(await this.tombstones.cancel(manager, { appId: scope.appId, key }))) {
      throw new Unavailable('The upload took too long and was discarded; send the file again');
    }
  }

  /** Removes a source that did not become a document. */
  async discard(scope: Scope, { key }: StoredSource): Promise<void> {
    await this.tombstones.deleteObjects({ appId: scope.appId, key });
  }
}
