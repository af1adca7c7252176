import { parseArgs, type ParseArgsConfig } from 'node:util';
import { UsageError } from './report-failure.js';

/** Node's `parseArgs`. @throws UsageError for what it does not understand */
export function parseCommandLine<T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

const MAX_CONCURRENCY = 64;

/** What `--concurrency` says. @throws UsageError outside of 1 to 64 */
export function concurrencyOf(text: string | undefined, usual: number): number {
  const count = text === undefined ? usual : Number(text);
  if (!Number.isInteger(count) || count < 1 || count > MAX_CONCURRENCY) {
    throw new UsageError(`--concurrency takes a number from 1 to ${MAX_CONCURRENCY}`);
  }
  return count;
}
