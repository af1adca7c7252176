import { setTimeout as delay } from 'node:timers/promises';

export interface Patience {
  /** Default: 60 seconds, because a busy machine is several times slower than an idle one. */
  readonly seconds?: number;
  /** Pause between two looks in milliseconds; default: 25. */
  readonly everyMs?: number;
}

/** Looks again and again. @throws Error that says what did not happen in time */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
  { seconds = 60, everyMs = 25 }: Patience = {},
): Promise<NonNullable<Exclude<T, false>>> {
  const deadline = Date.now() + seconds * 1_000;
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== null && seen !== false) return seen as NonNullable<Exclude<T, false>>;
    if (Date.now() > deadline) throw new Error(`not within ${seconds} s: ${what}`);
    await delay(everyMs);
  }
}
