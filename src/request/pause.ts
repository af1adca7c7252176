import { setTimeout } from 'node:timers/promises';

/** Waits; ends early when `signal` aborts. A pause does not keep the process alive. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { ref: false, ...(signal && { signal }) }).catch((error: unknown) => {
    if (signal?.aborted !== true) throw error;
  });
}
