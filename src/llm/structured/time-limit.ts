import { createContext, Script } from 'node:vm';

const context = createContext({ work: () => undefined });
const script = new Script('work()');

/** The work took longer than it was given. */
export class TimeLimitExceeded extends Error {}

/**
 * Runs synchronous work that a caller's input could make exponential, and ends it after `milliseconds`: the event
 * loop is not held up longer.
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
