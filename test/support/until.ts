import { setTimeout as delay } from 'node:timers/promises';

export interface Patience {
  /** Default: 60, because a busy machine is several times slower than an idle one. */
  readonly seconds?: number;
  /** Milliseconds between two looks; default: 20. */
  readonly everyMs?: number;
}

/**
 * Looks until there is something: neither false nor undefined nor null.
 * @param what completes the sentence "not within 60 s: ..."
 */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
  { seconds = 60, everyMs = 20 }: Patience = {},
): Promise<NonNullable<Exclude<T, false>>> {
  const deadline = Date.now() + seconds * 1_000;
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== null && seen !== false) return seen as NonNullable<Exclude<T, false>>;
    if (Date.now() > deadline) throw new Error(`not within ${seconds} s: ${what}`);
    await delay(everyMs);
  }
}

/**
 * Lets time pass that belongs to what a spec tests: the moment of a fault, the rate of a load, the age of an entry. To
 * wait for something, use {@link until}.
 */
export async function pause(milliseconds: number, why: string): Promise<void> {
  if (why === '') throw new Error('say why');
  await delay(milliseconds);
}
