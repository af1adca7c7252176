import { ConfigurationError } from '../../src/config/read-settings.js';
import { LecternError, StartRefused } from '../../src/errors/index.js';

/** A command line that cannot be understood: the message says why. */
export class UsageError extends Error {}

/** Errors whose message is a sentence for the person at the terminal. */
const SENTENCES = [ConfigurationError, LecternError, StartRefused];

interface Reporting {
  /** Shown when the command line was not understood. */
  readonly usage?: string;
  /** Whether the message of any other error says enough, so that its stack is left out. */
  readonly brief?: boolean;
}

/** Says on stderr what a command failed with, and makes the process end with 1. */
export function reportFailure(error: unknown, { usage = '', brief = false }: Reporting = {}): void {
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
