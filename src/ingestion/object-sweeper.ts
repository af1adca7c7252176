import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import { ObjectStore } from '../storage/object-store.js';
import { ObjectRemovalRepository, type ObjectRemoval } from './object-removal.repository.js';

const SWEEP_EVERY_MS = 60_000;
const BATCH = 100;

/**
 * Removes stored objects that have to go, and forgets them afterwards: at once when told to, and now and then what a
 * process that died, or a store that was down, left over.
 */
@Injectable()
export class ObjectSweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(ObjectSweeper.name);
  private timer: NodeJS.Timeout | undefined;
  private sweeping: Promise<void> = Promise.resolve();

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly removals: ObjectRemovalRepository,
    private readonly objects: ObjectStore,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    if (this.settings.WORKER === 'off') return;
    // The embedded database has one process: every upload that was begun before is an abandoned one.
    await this.sweep(this.settings.DATABASE_URL === undefined ? 'all' : 'due');
    this.timer = setInterval(() => {
      this.sweeping = this.sweeping.then(() => this.sweep('due'));
    }, SWEEP_EVERY_MS);
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.sweeping;
  }

  /** Carries out a removal. A store that is down leaves it to a later sweep. @returns whether it is done. */
  async remove(removal: ObjectRemoval): Promise<boolean> {
    try {
      if (await this.removals.begin(removal)) {
        if (removal.key.endsWith('/')) await this.objects.deletePrefix(removal.key.slice(0, -1));
        else await this.objects.delete(removal.key);
        await this.removals.finish(removal);
      }
      return true;
    } catch (error) {
      this.logger.warn({ err: error, key: removal.key }, 'cannot remove a stored object; trying again later');
      return false;
    }
  }

  private async sweep(which: 'due' | 'all'): Promise<void> {
    try {
      for (let ahead = true; ahead;) {
        const removals = await this.removals.due(which, BATCH);
        const done = [];
        for (const removal of removals) done.push(await this.remove(removal));
        ahead = done.includes(true);
      }
    } catch (error) {
      this.logger.error({ err: error }, 'cannot look for stored objects to remove');
    }
  }
}
