import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { Scope } from '../../auth/scope.js';
import type { Queryable } from '../../database/run.js';
import { Unavailable } from '../../errors/index.js';
import { ObjectRemovalRepository } from '../../ingestion/object-removal.repository.js';
import { ObjectSweeper } from '../../ingestion/object-sweeper.js';
import { ObjectStore } from '../../storage/object-store.js';
import { sourceKey } from './object-keys.js';

/** The bytes that a document is made of, in the object store and not yet referred to. */
export interface StoredSource {
  readonly documentId: string;
  readonly bucket: string;
  readonly key: string;
  readonly size: number;
}

/** Time for an upload to become a document before it counts as abandoned. */
const ABANDONED_AFTER_SECONDS = 3_600;

/** Stores sources so that none is left behind, whatever moment the process dies at. */
@Injectable()
export class SourceStore {
  constructor(
    private readonly objects: ObjectStore,
    private readonly removals: ObjectRemovalRepository,
    private readonly sweeper: ObjectSweeper,
  ) {}

  /** Stores bytes for a document that may not be there yet. Ends in `keep` or `discard`. */
  async put(
    scope: Scope,
    documentId: string,
    content: Uint8Array | Readable,
    contentType: string,
  ): Promise<StoredSource> {
    const key = sourceKey(scope.appId, documentId);
    const removal = { appId: scope.appId, key };
    await this.removals.schedule(removal, ABANDONED_AFTER_SECONDS);
    try {
      const { bucket, size } = await this.objects.put(key, content, contentType);
      return { documentId, bucket, key, size };
    } catch (error) {
      await this.sweeper.remove(removal);
      throw error;
    }
  }

  /**
   * In the transaction that makes a document refer to the source.
   * @throws Unavailable when the upload took so long that it was given up.
   */
  async keep(manager: Queryable, scope: Scope, { key }: StoredSource): Promise<void> {
    if (!(await this.removals.takeBack(manager, { appId: scope.appId, key }))) {
      throw new Unavailable('The upload took too long and was given up; send the file again');
    }
  }

  /** The source becomes no document after all. */
  async discard(scope: Scope, { key }: StoredSource): Promise<void> {
    await this.sweeper.remove({ appId: scope.appId, key });
  }
}
