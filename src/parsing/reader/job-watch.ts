import { constrainedMemory, memoryUsage } from 'node:process';
import { totalmem } from 'node:os';
import { ParseFailure } from '../parse-failure.js';

/** Bounds of one job. */
export interface JobLimits {
  /** JavaScript heap of the thread, and the most that the process may grow while a job runs, however large. */
  readonly megabytes: number;
  /** Longest time without any progress before the job is given up. */
  readonly deadlineMs: number;
}

const MEGABYTE = 2 ** 20;

/** What reading a file may take: libraries and models, and several copies of what is in it. */
const FOR_ANY_FILE = 1_024 * MEGABYTE;
const TIMES_ITS_SIZE = 6;
const MOST_MEGABYTES = 2_048;

/** Half of what the machine or its container has, and no more than any document needs. */
export function defaultLimits(): JobLimits {
  const available = Math.min(totalmem(), constrainedMemory() || Infinity);
  return {
    megabytes: Math.min(MOST_MEGABYTES, Math.floor(available / 2 / MEGABYTE)),
    deadlineMs: 300_000,
  };
}

/** How often memory is looked at: what a decoder expands grows by some 100 MB a second. */
const LOOK_EVERY_MS = 100;

/**
 * Gives a job up when it makes no progress, or when the process grows too much: the heap limit of a thread does not
 * count buffers nor the memory of WebAssembly, where decoders expand what a file holds.
 */
export class JobWatch {
  private readonly deadline: NodeJS.Timeout;
  private readonly look: NodeJS.Timeout;

  /** @param size of the file in bytes: a small one that takes much was made to. */
  constructor(limits: JobLimits, size: number, giveUp: (reason: ParseFailure) => void) {
    const growth = Math.min(limits.megabytes * MEGABYTE, FOR_ANY_FILE + size * TIMES_ITS_SIZE);
    const most = memoryUsage.rss() + growth;
    this.deadline = setTimeout(() => {
      giveUp(tooSlow());
    }, limits.deadlineMs);
    this.look = setInterval(() => {
      if (memoryUsage.rss() > most) giveUp(tooLarge());
    }, LOOK_EVERY_MS);
  }

  progress(): void {
    this.deadline.refresh();
  }

  end(): void {
    clearTimeout(this.deadline);
    clearInterval(this.look);
  }
}

export function tooLarge(options: ErrorOptions = {}): ParseFailure {
  return new ParseFailure(
    'The file needs more memory than one document may take: divide it into smaller files.',
    options,
  );
}

function tooSlow(): ParseFailure {
  return new ParseFailure('The file takes too long to read: divide it into smaller files, or simplify it.');
}
