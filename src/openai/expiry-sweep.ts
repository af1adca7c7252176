import { Inject, Injectable } from '@nestjs/common';
import { AppRepository } from '../auth/app.repository.js';
import { PERMISSIONS, scopeOf, type Scope } from '../auth/scope.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Sweep } from '../database/sweep.js';
import { DetachedFilesRepository } from '../corpus/vector-stores/detached-files.repository.js';
import { FileRepository } from '../corpus/vector-stores/file.repository.js';
import { VectorStoreRepository } from '../corpus/vector-stores/vector-store.repository.js';
import { UploadedFileRemoval } from '../documents/files/uploaded-file-removal.js';
import { VectorStoreService } from './vector-stores/vector-store.service.js';

const SWEEP_EVERY_MS = 60 * 60 * 1_000;
const BATCH = 100;

/**
 * Removes expired files, and the documents of expired stores, every hour. A late sweep has no visible effect, because
 * every read compares the expiry with the clock.
 */
@Injectable()
export class ExpirySweep extends Sweep {
  constructor(
    @Inject(SETTINGS) settings: Settings,
    private readonly apps: AppRepository,
    private readonly files: FileRepository,
    private readonly fileRemoval: UploadedFileRemoval,
    private readonly stores: VectorStoreRepository,
    private readonly detached: DetachedFilesRepository,
    private readonly storeService: VectorStoreService,
  ) {
    super(settings, 'cannot forget the places of removed files', SWEEP_EVERY_MS);
  }

  /** Removes expired objects. Failures are logged and left for the next sweep. */
  async sweep(): Promise<void> {
    await this.each(
      'file',
      () => this.files.expired(BATCH),
      async (scope, id) => {
        await this.fileRemoval.remove(scope, id);
      },
    );
    await this.each(
      'vector store',
      () => this.stores.expired(BATCH),
      (scope, id) => this.storeService.empty(scope, id),
    );
    await this.detached.forget();
  }

  /** Removes expired objects in batches, until a batch is not full or a removal fails. */
  private async each(
    what: string,
    find: () => Promise<readonly { readonly appId: string; readonly id: string }[]>,
    remove: (scope: Scope, id: string) => Promise<void>,
  ): Promise<void> {
    try {
      for (let count = BATCH; count === BATCH;) {
        const expired = await find();
        count = expired.length;
        for (const { appId, id } of expired) {
          if (this.stopping.aborted) return;
          const { length: shards } = await this.apps.shardIds(appId);
          await remove(scopeOf(appId, PERMISSIONS, 'worker', { shards }), id);
        }
      }
    } catch (error) {
      this.logger.error({ err: error }, `cannot remove an expired ${what}; trying again in an hour`);
    }
  }
}
