import { createContext, Script } from 'node:vm';

const context = createContext({ work: () => undefined });
const script = new Script('work()');

/** Synchronous work exceeded its time limit. */
export class TimeLimitExceeded extends Error {}

/**
 * Runs synchronous work and aborts it after `milliseconds`. This limits the time for which hostile input can block the
 * event loop.
 * @throws TimeLimitExceeded.
 */
export function withinTime<T>(milliseconds: number, work: () => T): T {
  try {
    context['work'] = work;
    return script.runInContext(context, { timeout: milliseconds }) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') {
      throw new TimeLimitExceeded(`took longer than ${milliseconds} ms`);
    }
    throw error;
  } finally {
    context['work'] = undefined;
  }
}
