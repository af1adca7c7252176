import { constrainedMemory, memoryUsage } from 'node:process';
import { totalmem } from 'node:os';
import { ParseFailure } from '../parse-failure.js';

/** Bounds of one job. */
export interface JobLimits {
  /** The most that a job may take, however large its file: what the machine has to spare. */
  readonly megabytes: number;
  /** Longest time without any progress before the job is given up. */
  readonly deadlineMs: number;
}

const MEGABYTE = 2 ** 20;

/**
 * The process stays below the first while files are read, as far as it can, and below the second where a file that is
 * large itself adds its own size several times. Between two looks it grows: together that stays below 1 GB.
 */
const PROCESS = 832 * MEGABYTE;
const PROCESS_WITH_LARGE_FILE = 864 * MEGABYTE;
/** What every file may take however large the process is: libraries and models. */
const FOR_ANY_FILE = 192 * MEGABYTE;
/** The JavaScript heap that a document of any kind is read with. */
const HEAP_FOR_ANY_FILE = 256 * MEGABYTE;
/** Bytes, text and chunks of a large file are in memory together. */
const SIZE_FACTOR = 3;

/** Half of what the machine or its container has. */
export function defaultLimits(): JobLimits {
  const available = Math.min(totalmem(), constrainedMemory() || Infinity);
  return { megabytes: Math.floor(available / 2 / MEGABYTE), deadlineMs: 300_000 };
}

/** The JavaScript heap, in MB, of a thread that reads a file of so many bytes: it bounds what the watch would notice too late. */
export function heapFor(limits: JobLimits, size: number): number {
  return Math.min(limits.megabytes, Math.ceil((HEAP_FOR_ANY_FILE + size * SIZE_FACTOR) / MEGABYTE));
}

/** How often memory is looked at: what a decoder expands grows by some 500 MB a second. */
const LOOK_EVERY_MS = 10;

/**
 * Gives a job up when it makes no progress, or when the process grows too much: the heap limit of a thread does not
 * count buffers nor the memory of WebAssembly, where decoders expand what a file holds.
 */
export class JobWatch {
  private readonly deadline: NodeJS.Timeout;
  private readonly look: NodeJS.Timeout;

  /** @param size of the file in bytes: a small one that takes much was made to. */
  constructor(limits: JobLimits, size: number, giveUp: (reason: ParseFailure) => void) {
    const present = memoryUsage.rss();
    const forAnyFile = present + FOR_ANY_FILE;
    const withItsSize = Math.max(PROCESS, forAnyFile) + size * SIZE_FACTOR;
    const bounded = Math.max(forAnyFile, Math.min(withItsSize, PROCESS_WITH_LARGE_FILE));
    const most = Math.min(bounded, present + limits.megabytes * MEGABYTE);
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
