import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { v7 } from 'uuid';
import type { Scope } from '../../auth/scope.js';
import { tenantOf } from '../../auth/tenant-shards.js';
import type { StoredFile } from '../../corpus/document-row.js';
import type { Queryable } from '../../database/run.js';
import { Unavailable } from '../../errors/index.js';
import { ObjectTombstones } from '../../ingestion/object-tombstones.js';
import { objectKey } from '../../storage/object-key.js';
import { ObjectStore } from '../../storage/object-store.js';

/** The bytes that a document is made of, in the object store and not yet referred to. */
export interface StoredSource {
  readonly documentId: string;
  readonly bucket: string;
  readonly key: string;
  readonly size: number;
}

/** How the record of a document lists it, without the version that it becomes. @param contentType as it was declared */
export function storedFileOf(
  { bucket, key, size }: StoredSource,
  filename: string | null,
  contentType: string,
): Omit<StoredFile, 'version'> {
  return { bucket, key, filename, content_type: contentType, timestamp: new Date().toISOString(), size };
}

/** Time for an upload to become a document before it counts as abandoned. */
const ABANDONED_AFTER_SECONDS = 3_600;

/**
 * The id of a new document: a UUID of version 7 (RFC 9562), which begins with the time. Documents that came one after
 * the other lie together in the indexes over them and their chunks, and are looked up together in fewer pages.
 */
export function newDocumentId(): string {
  return v7();
}

/** Every object of a document lies under this prefix, tenant first. The slash at the end makes it a prefix. */
export function documentPrefix(appId: string, documentId: string): string {
  return `${objectKey(tenantOf(appId), documentId)}/`;
}

/** Stores sources so that none is left behind, whatever moment the process dies at. */
@Injectable()
export class SourceStore {
  constructor(
    private readonly objects: ObjectStore,
    private readonly tombstones: ObjectTombstones,
  ) {}

  /** Stores bytes for a document that may not be there yet. Ends in `keep` or `discard`. */
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
      const { bucket, size } = await this.objects.put(key, content, contentType);
      return { documentId, bucket, key, size };
    } catch (error) {
      await this.tombstones.deleteObjects(tombstone);
      throw error;
    }
  }

  /**
   * In the transaction that makes a document refer to the source.
   * @throws Unavailable when the upload took so long that it was given up.
   */
  async keep(manager: Queryable, scope: Scope, { key }: StoredSource): Promise<void> {
    if (!(await this.tombstones.cancel(manager, { appId: scope.appId, key }))) {
      throw new Unavailable('The upload took too long and was given up; send the file again');
    }
  }

  /** The source becomes no document after all. */
  async discard(scope: Scope, { key }: StoredSource): Promise<void> {
    await this.tombstones.deleteObjects({ appId: scope.appId, key });
  }
}
