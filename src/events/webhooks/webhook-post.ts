import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { Invalid } from '../../errors/index.js';
import { admitBase, type AllowedBases, BaseRefused } from '../../models/providers/address-guard.js';
import { requestedDelay } from '../../models/providers/failures.js';
import { ConnectionRefused, providerFetch, trustedFetch } from '../../models/providers/fetch.js';

const TIMEOUT_MS = 15_000;

/** What came of an attempt. */
export interface Posted {
  /** HTTP status; null: there was no answer. */
  readonly status: number | null;
  /** Why there was no answer, in words; null: there was one. */
  readonly error: string | null;
  /** Milliseconds that the receiver asks to wait; null: it asks for nothing. */
  readonly waitMs: number | null;
}

/**
 * Posts to the addresses of webhooks. The address is checked each time, and the connection goes to the IP address that was
 * checked. Redirects are not followed. What the receiver answers is not read.
 */
@Injectable()
export class WebhookPost {
  private readonly allowed: AllowedBases;

  constructor(@Inject(SETTINGS) { WEBHOOK_ALLOWED_BASES }: Pick<Settings, 'WEBHOOK_ALLOWED_BASES'>) {
    this.allowed = {
      setting: 'WEBHOOK_ALLOWED_BASES',
      bases: WEBHOOK_ALLOWED_BASES,
      isUrl: true,
      needsTls: true,
    };
  }

  /** @throws Invalid at `body.url` for an address to which no webhook may send */
  async requireAllowed(url: string): Promise<void> {
    try {
      const agent = await admitBase(url, this.allowed);
      await agent?.destroy();
    } catch (error) {
      if (error instanceof BaseRefused) throw Invalid.at(['body', 'url'], `Value error, ${error.message}`);
      throw error;
    }
  }

  /** @param stopping aborts the attempt */
  async send(
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    stopping: AbortSignal,
  ): Promise<Posted> {
    const signal = AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), stopping]);
    try {
      const agent = await admitBase(url, this.allowed);
      try {
        const fetch = agent === null ? trustedFetch : providerFetch(agent);
        const response = await fetch(url, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'user-agent': 'Lectern-Webhooks', ...headers },
          body,
          signal,
        });
        await response.body?.cancel();
        return { status: response.status, error: null, waitMs: requestedDelay(response.headers) };
      } finally {
        await agent?.destroy();
      }
    } catch (error) {
      stopping.throwIfAborted();
      return { status: null, error: reasonOf(error, signal), waitMs: null };
    }
  }
}

/** Why there was no answer, without what the receiver or the network says in its own words. */
function reasonOf(error: unknown, signal: AbortSignal): string {
  if (error instanceof BaseRefused) return `The address ${error.message}`;
  if (signal.aborted) return `No answer within ${TIMEOUT_MS / 1_000} seconds`;
  if (ConnectionRefused.in(error) !== undefined) return 'The receiver sent a redirect, which is not followed';
  return `No connection (${codeOf(error)})`;
}

function codeOf(error: unknown): string {
  let found = 'unknown';
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined;
    if (code !== undefined) found = code;
  }
  return found;
}
