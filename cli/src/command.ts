import { parseArgs, type ParseArgsConfig } from 'node:util';
import { ConfigurationError, LecternError, StartRefused } from '../../src/index.js';

/** What `lectern <command>` is made of: the module of its name. */
export interface Command {
  readonly USAGE: string;
  /** @param args behind the name of the command @throws UsageError when they cannot be understood */
  run(args: readonly string[]): Promise<void>;
}

/** A command line that cannot be understood: the message says why. */
export class UsageError extends Error {}

/** Node's `parseArgs`. @throws UsageError for what it does not understand */
export function parseCommandLine<T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** The whole number that an option gives. @throws UsageError outside of the bounds */
export function numberOf(option: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new UsageError(`--${option} takes a number from ${min} to ${max}`);
  }
  return value;
}

/** Errors of the server whose message is a sentence for the person at the terminal. */
const SENTENCES = [ConfigurationError, LecternError, StartRefused];

/**
 * Says on stderr what a command failed with, and makes the process end with 1.
 * @param brief whether the message of any other error says enough, so that its stack is left out
 */
export function reportFailure(error: unknown, usage: string, brief: boolean): void {
  if (error instanceof UsageError) console.error(`${error.message}\n\n${usage}`);
  else if (error instanceof Error && (brief || SENTENCES.some((type) => error instanceof type))) {
    console.error(sentenceOf(error));
  } else console.error(error);
  process.exitCode = 1;
}

/** `ENOENT: no such file or directory, open '/a.jsonl'` as `/a.jsonl: no such file or directory`. */
function sentenceOf(error: Error): string {
  const { path, message }: NodeJS.ErrnoException = error;
  const reason = /^E[A-Z]+: ([^,]+), /.exec(message)?.[1];
  return path === undefined || reason === undefined ? message : `${path}: ${reason}`;
}
