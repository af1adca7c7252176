import { parseArgs, type ParseArgsConfig } from 'node:util';
import { LecternError as ServiceError } from '@lectern/client';
import { ConfigurationError, LecternError, StartRefused } from '../../src/index.js';
import { printError } from './output.js';

export interface Command {
  readonly USAGE: string;
  /** @param args after the command name @throws UsageError for invalid arguments */
  run(args: readonly string[]): Promise<void>;
}

/** Invalid command line; the message is the reason. */
export class UsageError extends Error {}

/** Node's `parseArgs`. @throws UsageError for invalid arguments */
export function parseCommandLine<T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** Parses an integer option. @throws UsageError outside the range */
export function numberOf(option: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new UsageError(`--${option} must be a number from ${min} to ${max}`);
  }
  return value;
}

/** Errors with a message for the user, printed without the stack. */
const SENTENCES = [ConfigurationError, LecternError, ServiceError, StartRefused];

/**
 * Prints an error to stderr and sets exit code 1.
 *
 * @param brief true: prints every error without its stack; false: only errors with a message for the user
 */
export function reportFailure(error: unknown, usage: string, brief: boolean): void {
  if (error instanceof UsageError) printError(`${error.message}\n\n${usage}`);
  else if (error instanceof Error && (brief || SENTENCES.some((type) => error instanceof type))) {
    printError(sentenceOf(error));
  } else console.error(error);
  process.exitCode = 1;
}

/**
 * Rewrites a file system error, such as `ENOENT: no such file or directory, open '/a.jsonl'`, as
 * `/a.jsonl: no such file or directory`.
 */
function sentenceOf(error: Error): string {
  const { path, message }: NodeJS.ErrnoException = error;
  const reason = /^E[A-Z]+: ([^,]+), /.exec(message)?.[1];
  return path === undefined || reason === undefined ? message : `${path}: ${reason}`;
}
