import { Injectable, Logger } from '@nestjs/common';
import { KeyRepository } from '../../auth/key.repository.js';
import type { Scope } from '../../auth/scope.js';
import { runDetached } from '../../request/request-context.js';

const WRITE_EVERY_MS = 60_000;

/**
 * Notes when keys are used: in memory first, then once a minute in their rows. Unlike the operation log it counts requests
 * that only read, and forgets nothing.
 */
@Injectable()
export class KeyUses {
  private readonly logger = new Logger(KeyUses.name);
  /** Time of the last use by key id, by tenant. */
  private waiting = new Map<string, Map<string, Date>>();
  private writeAt = performance.now() + WRITE_EVERY_MS;

  constructor(private readonly keys: KeyRepository) {}

  note({ appId, keyId }: Pick<Scope, 'appId' | 'keyId'>, at: Date): void {
    const uses = this.waiting.get(appId) ?? new Map<string, Date>();
    this.waiting.set(appId, uses.set(keyId, at));
  }

  async writeWhenDue(): Promise<void> {
    if (performance.now() >= this.writeAt) await this.write();
  }

  /** Writes what is noted. After a failure it is lost: the next use of the key is noted again. */
  async write(): Promise<void> {
    this.writeAt = performance.now() + WRITE_EVERY_MS;
    const noted = this.waiting;
    this.waiting = new Map();
    try {
      await runDetached(async () => {
        for (const [appId, uses] of noted) await this.keys.used(appId, uses);
      });
    } catch (error) {
      this.logger.warn({ err: error }, 'cannot store when keys were last used');
    }
  }
}
