import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { AppRepository } from '../auth/app.repository.js';
import { PERMISSIONS, scopeOf, type Scope } from '../auth/scope.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { DetachedFilesRepository } from '../corpus/vector-stores/detached-files.repository.js';
import { VectorStoreRepository } from '../corpus/vector-stores/vector-store.repository.js';
import { FileRepository } from './files/file.repository.js';
import { FileService } from './files/file.service.js';
import { VectorStoreService } from './vector-stores/vector-store.service.js';

const SWEEP_EVERY_MS = 60 * 60 * 1_000;
const BATCH = 100;

/**
 * Removes expired files, and the documents of expired stores, every hour. A late sweep has no visible effect, because
 * every read compares the expiry with the clock.
 */
@Injectable()
export class ExpirySweep implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(ExpirySweep.name);
  private timer: NodeJS.Timeout | undefined;
  private sweeping: Promise<void> = Promise.resolve();
  private isStopping = false;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly apps: AppRepository,
    private readonly files: FileRepository,
    private readonly fileService: FileService,
    private readonly stores: VectorStoreRepository,
    private readonly detached: DetachedFilesRepository,
    private readonly storeService: VectorStoreService,
  ) {}

  onApplicationBootstrap(): void {
    if (this.settings.WORKER === 'off') return;
    this.sweeping = this.sweep();
    this.timer = setInterval(() => {
      this.sweeping = this.sweeping.then(() => this.sweep());
    }, SWEEP_EVERY_MS);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    clearInterval(this.timer);
    await this.sweeping;
  }

  /** Removes expired objects. Failures are logged and left for the next sweep. */
  async sweep(): Promise<void> {
    await this.each(
      'file',
      () => this.files.expired(BATCH),
      async (scope, id) => {
        await this.fileService.remove(scope, id);
      },
    );
    await this.each(
      'vector store',
      () => this.stores.expired(BATCH),
      (scope, id) => this.storeService.empty(scope, id),
    );
    await this.forgetPlaces();
  }

  private async forgetPlaces(): Promise<void> {
    try {
      await this.detached.forget();
    } catch (error) {
      this.logger.error({ err: error }, 'cannot forget the places of removed files; trying again in an hour');
    }
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
          if (this.isStopping) return;
          const { length: shards } = await this.apps.shardIds(appId);
          await remove(scopeOf(appId, PERMISSIONS, 'worker', { shards }), id);
        }
      }
    } catch (error) {
      this.logger.error({ err: error }, `cannot remove an expired ${what}; trying again in an hour`);
    }
  }
}
