/**
 * Seconds between the attempts of a delivery, as the Standard Webhooks specification recommends: eight attempts in 27
 * hours and a half.
 */
const DELAYS = [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000];

/** Share of a delay that is added at random, so that the deliveries of an outage do not come back at once. */
const JITTER = 0.1;

/** Longest delay that a receiver may ask for with `Retry-After`, in seconds. */
const MAX_ASKED = 3_600;

/**
 * Returns the seconds until the next attempt; null: there is none.
 * @param attempts attempts so far
 * @param askedMs milliseconds that the receiver asked to wait; null: it asked for nothing
 */
export function delayAfter(
  attempts: number,
  askedMs: number | null = null,
  random: () => number = Math.random,
): number | null {
  const delay = DELAYS[attempts - 1];
  if (delay === undefined) return null;
  return Math.max(delay * (1 + JITTER * random()), Math.min(MAX_ASKED, (askedMs ?? 0) / 1_000));
}
