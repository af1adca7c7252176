import { Injectable, Logger } from '@nestjs/common';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { TooManyRequests } from '../errors/index.js';

/**
 * Maximum number of wrong keys per address in the minute that begins with the first wrong key. Further wrong keys get a
 * 429.
 */
export const WRONG_KEYS_PER_MINUTE = 100;

const MINUTE_MS = 60_000;

/**
 * Maximum number of addresses that are counted at once. Beyond this number, the count of the least recently used
 * address is dropped.
 */
const MAX_ADDRESSES = 10_000;

/**
 * Throttles key guessing per address. Only wrong keys are counted and rejected: a valid key from the same address is
 * still accepted. Each process counts separately.
 */
@Injectable()
export class WrongKeys {
  private readonly logger = new Logger('Keys');
  private readonly counts = new LRUCache<string, { wrong: number }>({ max: MAX_ADDRESSES, ttl: MINUTE_MS });

  /**
   * Counts a wrong key.
   * @param address of the client
   * @throws TooManyRequests if the address has exceeded {@link WRONG_KEYS_PER_MINUTE}.
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
