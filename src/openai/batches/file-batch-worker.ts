import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AppRepository } from '../../auth/app.repository.js';
import { PERMISSIONS, scopeOf, type Scope } from '../../auth/scope.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { databaseFailure } from '../../database/failures.js';
import { Sweep } from '../../database/sweep.js';
import { LecternError, NotFound } from '../../errors/index.js';
import { JobQueue } from '../../ingestion/job-queue.js';
import { AttachmentService } from '../store-files/attachment.service.js';
import { FileBatchRepository, type WaitingFile } from '../../corpus/vector-stores/file-batch.repository.js';

const INTERNAL =
  'The file could not be attached because of an internal error; see the log for details. Attach it again.';

class NotAttached extends Error {
  constructor(
    readonly fileId: string,
    cause: unknown,
  ) {
    super('a file of a batch cannot be attached', { cause });
  }
}

/**
 * Attaches the files of batches, each in one transaction that also removes its entry. Several processes may work on the
 * same batch. After a crash, a sweep of any process with a worker continues with the remaining files.
 */
@Injectable()
export class FileBatchWorker extends Sweep {
  constructor(
    @Inject(SETTINGS) settings: Settings,
    private readonly dataSource: DataSource,
    private readonly apps: AppRepository,
    private readonly batches: FileBatchRepository,
    private readonly attachments: AttachmentService,
    private readonly jobs: JobQueue,
  ) {
    super(settings, 'cannot query the waiting files of batches');
  }

  /** Starts work on a batch in the background. */
  begin(scope: Scope, batchId: string): void {
    void this.inBackground(batchId, () => this.attachAll(scope, batchId));
  }

  async sweep(): Promise<void> {
    for (const { appId, id, endUserId } of await this.batches.waiting()) {
      const { length: shards } = await this.apps.shardIds(appId);
      const permissions = endUserId === null ? PERMISSIONS : (['read', 'write'] as const);
      this.begin(scopeOf(appId, permissions, 'worker', { shards, endUserId }), id);
    }
  }

  /** Attaches all pending files of a batch. If the database fails, the remaining files are left for later. */
  private async attachAll(scope: Scope, batchId: string): Promise<void> {
    try {
      while (!this.stopping.aborted && (await this.attachNext(scope, batchId)));
    } catch (error) {
      this.logger.error(
        { err: error, batch: batchId },
        'cannot attach the files of a batch; trying again later',
      );
    }
  }

  /** Attaches the next pending file. @returns whether there may be more pending files */
  private async attachNext(scope: Scope, batchId: string): Promise<boolean> {
    try {
      const isTaken = await this.dataSource.transaction(async (manager) => {
        const taken = await this.batches.takeNext(manager, scope, batchId);
        if (taken === null) return false;
        await this.attach(manager, scope, batchId, taken);
        return true;
      });
      this.jobs.notify();
      return isTaken;
    } catch (error) {
      if (!(error instanceof NotAttached)) throw error;
      await this.settle(scope, batchId, error);
      return true;
    }
  }

  /** Attaches a file and removes its entry. @throws NotAttached for every error except a failure of the database. */
  private async attach(
    manager: EntityManager,
    scope: Scope,
    batchId: string,
    { folderId, createdAt, ...file }: WaitingFile,
  ): Promise<void> {
    try {
      await this.attachments.attach(manager, scope, folderId, file, { id: batchId, createdAt });
      await this.batches.drop(manager, scope, batchId, file.fileId);
    } catch (error) {
      if (databaseFailure(error) !== undefined) throw error;
      throw new NotAttached(file.fileId, error);
    }
  }

  /**
   * Handles a file that could not be attached: removes it from the batch if it was deleted, otherwise stores the
   * reason.
   */
  private async settle(scope: Scope, batchId: string, { fileId, cause }: NotAttached): Promise<void> {
    if (cause instanceof NotFound) {
      await this.batches.drop(this.dataSource, scope, batchId, fileId);
      return;
    }
    this.logger.warn({ err: cause, batch: batchId, file: fileId }, 'a file of a batch cannot be attached');
    const isOurs = cause instanceof LecternError && cause.status < 500;
    await this.batches.fail(scope, batchId, fileId, isOurs ? cause.message : INTERNAL);
  }
}
