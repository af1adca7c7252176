import { Injectable, Logger } from '@nestjs/common';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { TooManyRequests } from '../errors/index.js';
import { pause } from '../request/pause.js';
import type { KeyReference } from './api-key.js';
import { RefusalCounts, type RefusalEvent } from './audit/refusal-counts.js';

/**
 * Maximum number of wrong keys per address in the minute that begins with the first wrong key. Further wrong keys get a
 * 429.
 */
export const WRONG_KEYS_PER_MINUTE = 100;

const MINUTE_MS = 60_000;

/** Milliseconds after which a guess beyond the limit is refused, so that a flood of guesses costs others little. */
const REFUSED_AFTER_MS = 1_000;

/**
 * Maximum number of addresses that are counted at once. Beyond this number, the count of the least recently used
 * address is dropped.
 */
const MAX_ADDRESSES = 10_000;

/** The reasons of the audit log. */
const REASONS: Readonly<Record<RefusalEvent, string>> = {
  'key.refused': 'wrong key',
  'sign_in.refused': 'wrong, used or expired link',
  'link.refused': 'wrong link',
};

/**
 * Throttles key guessing per address. Only wrong keys are counted and rejected: a valid key from the same address is
 * still accepted. Each process counts separately. All refusals of keys are counted for the audit log, those of ended keys
 * too.
 */
@Injectable()
export class WrongKeys {
  private readonly logger = new Logger('Keys');
  private readonly counts = new LRUCache<string, { wrong: number }>({ max: MAX_ADDRESSES, ttl: MINUTE_MS });

  constructor(private readonly refusals: RefusalCounts) {}

  /**
   * Counts a wrong key, sign-in link or download link.
   * @param address of the client
   * @throws TooManyRequests, after a second, if the address has exceeded {@link WRONG_KEYS_PER_MINUTE}.
   */
  async count(address: string, event: RefusalEvent = 'key.refused'): Promise<void> {
    const network = networkOf(address);
    this.refusals.count({ event, address: network, reason: REASONS[event] });
    const count = this.counts.get(network) ?? { wrong: 0 };
    if (count.wrong === 0) this.counts.set(network, count);
    count.wrong += 1;
    if (count.wrong <= WRONG_KEYS_PER_MINUTE) return;
    if (count.wrong === WRONG_KEYS_PER_MINUTE + 1) this.logger.warn({ network }, 'too many wrong keys');
    await pause(REFUSED_AFTER_MS);
    throw new TooManyRequests(
      'Too many wrong keys from this address',
      Math.max(1, Math.ceil(this.counts.getRemainingTTL(network) / 1_000)),
    );
  }

  /** Counts the use of a key of this installation that has ended, or that may not be used from this address. */
  countRefused({ appId, id }: KeyReference, address: string, reason: string): void {
    this.refusals.count({ event: 'key.refused', address: networkOf(address), reason, key: { appId, id } });
  }
}

/**
 * Returns an IPv4 address unchanged. For an IPv6 address, returns its /64 network, because one client may control the
 * whole network (RFC 6177).
 */
function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6
    ? new ipaddr.IPv6([...parsed.parts.slice(0, 4), 0, 0, 0, 0]).toString()
    : parsed.toString();
}
