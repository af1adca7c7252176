import { Injectable, Logger } from '@nestjs/common';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { TooManyRequests } from '../errors/index.js';

/** How many wrong secrets of one address are answered as such, in a minute that begins with the first of them. */
export const WRONG_KEYS_PER_MINUTE = 100;

const MINUTE_MS = 60_000;

/** Addresses that are counted at once; of more, those that tried longest ago are forgotten. */
const MAX_ADDRESSES = 10_000;

/**
 * Slows who tries keys. Only what was wrong is counted, after it was looked at: whoever has a right one is let in from
 * the same address too. Every process counts for itself.
 */
@Injectable()
export class WrongKeys {
  private readonly logger = new Logger('Keys');
  private readonly counts = new LRUCache<string, { wrong: number }>({ max: MAX_ADDRESSES, ttl: MINUTE_MS });

  /**
   * Counts a wrong secret.
   * @param address of the client
   * @throws TooManyRequests when there were too many before it.
   */
  count(address: string): void {
    const network = networkOf(address);
    const count = this.counts.get(network) ?? { wrong: 0 };
    if (count.wrong === 0) this.counts.set(network, count);
    count.wrong += 1;
    if (count.wrong <= WRONG_KEYS_PER_MINUTE) return;
    if (count.wrong === WRONG_KEYS_PER_MINUTE + 1) this.logger.warn({ network }, 'too many wrong keys');
    throw new TooManyRequests(
      'Too many wrong keys from this address',
      Math.max(1, Math.ceil(this.counts.getRemainingTTL(network) / 1_000)),
    );
  }
}

/** An address of version 4, or the 64 bits of version 6 that one client has for itself (RFC 6177). */
function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6
    ? new ipaddr.IPv6([...parsed.parts.slice(0, 4), 0, 0, 0, 0]).toString()
    : parsed.toString();
}
