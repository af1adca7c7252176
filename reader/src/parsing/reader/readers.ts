import { availableParallelism, totalmem } from 'node:os';
import { constrainedMemory } from 'node:process';
import pLimit, { type LimitFunction } from 'p-limit';
import { type ChunkBudget, USUAL_CHUNKS } from '../../splitting/chunk-budget.js';
import { BYTE_PAIR, type TokenizerChoice } from '../../tokenizers/load-tokenizer.js';
import type { Result, Task, TextTask } from './messages.js';
import { ReaderProcess } from './reader-process.js';
import { Splitter } from './splitter.js';

/** What a pool of readers works with. Everything has a default. */
export interface ReadersOptions {
  /** The tokenizer that measures chunks; default: tokens of o200k_base. */
  readonly tokenizer?: TokenizerChoice;
  readonly chunks?: ChunkBudget;
  /** Path of LibreOffice if it is not on the PATH. */
  readonly office?: string | undefined;
  /** Returns the signal that aborts a task, when the task is given. */
  readonly currentSignal?: () => AbortSignal | undefined;
}

export interface TaskLimits {
  /** Total memory of the process. */
  readonly megabytes: number;
  /** Limits of CPU time: for a small file, for each further megabyte, and for each drawn page. */
  readonly seconds: number;
  readonly secondsPerMegabyte: number;
  readonly secondsPerPage: number;
  /** A process larger than this after a task is not reused. */
  readonly keptMegabytes: number;
}

/**
 * Queue of a task: uploads, a first look at them, their pages, conversions for display, pages for display, or requests.
 * Requests never wait for uploads, and pages that can be drawn never wait for conversions.
 */
export type Lane = 'files' | 'judgements' | 'pages' | 'conversions' | 'views' | 'requests';

const MEGABYTE = 2 ** 20;

/**
 * Number of files that are read at once: one per core, but at least two and at most eight. With two, one long file does
 * not block all others.
 */
export const FILES_AT_ONCE = Math.min(8, Math.max(2, availableParallelism()));

const WIDTHS: Readonly<Record<Lane, number>> = {
  files: FILES_AT_ONCE,
  judgements: 2,
  pages: 1,
  conversions: 1,
  views: 2,
  requests: 2,
};

/**
 * Share of the memory of the machine or container for files that are parsed concurrently. Each file gets between
 * `LEAST_MEGABYTES` and `MOST_MEGABYTES`; no document needs more than this.
 */
const SHARE = 0.5;
const [LEAST_MEGABYTES, MOST_MEGABYTES] = [256, 4_096];

/**
 * Maximum length, in UTF-16 code units, of a text that is split in this process. Splitting takes about 0.1 ms per
 * thousand code units, whereas messages to another process take several milliseconds.
 */
const SHORT_TEXT = 8 * 1024;

/** Idle time after which all processes except one are ended. */
const KEPT_MS = 60_000;

/**
 * The pool of processes that parse files. A process is started if no process is idle, and reused for later tasks. A
 * process is ended if its task is aborted, or if it is too large after a task.
 */
export class Readers {
  private readonly lanes: Readonly<Record<Lane, LimitFunction>> = {
    files: pLimit(WIDTHS.files),
    judgements: pLimit(WIDTHS.judgements),
    pages: pLimit(WIDTHS.pages),
    conversions: pLimit(WIDTHS.conversions),
    views: pLimit(WIDTHS.views),
    requests: pLimit(WIDTHS.requests),
  };
  private readonly all = new Set<ReaderProcess>();
  private readonly free = new Map<ReaderProcess, NodeJS.Timeout>();

  private loadedSplitter: Promise<Splitter> | undefined;

  constructor(private readonly options: ReadersOptions = {}) {}

  /** Path of LibreOffice if it is not on the PATH. */
  get office(): string | undefined {
    return this.options.office;
  }

  /**
   * Runs a task after the earlier tasks of its queue.
   *
   * @throws ParseFailure if the file cannot be parsed within the limits; the abort reason of the signal.
   */
  async *run(
    task: Task,
    lane: Lane,
    bytes?: Uint8Array,
    signal = this.options.currentSignal?.(),
  ): AsyncGenerator<Result, void> {
    signal?.throwIfAborted();
    if (isShortText(task)) {
      yield* (await this.splitter()).carryOut(task);
      return;
    }
    const release = await turnIn(this.lanes[lane]);
    try {
      signal?.throwIfAborted();
      const reader = this.take();
      try {
        yield* reader.run(task, { seconds: this.secondsFor(task, bytes), signal, ...(bytes && { bytes }) });
      } finally {
        this.giveBack(reader);
      }
    } finally {
      release();
    }
  }

  async close(): Promise<void> {
    for (const timer of this.free.values()) clearTimeout(timer);
    this.free.clear();
    await Promise.all([...this.all].map((reader) => reader.end()));
  }

  private get tokenizer(): TokenizerChoice {
    return this.options.tokenizer ?? BYTE_PAIR;
  }

  private get chunks(): ChunkBudget {
    return this.options.chunks ?? USUAL_CHUNKS;
  }

  private splitter(): Promise<Splitter> {
    this.loadedSplitter ??= Splitter.load(this.tokenizer, this.chunks);
    return this.loadedSplitter;
  }

  /** The limits of a task. Tests override this method. */
  protected limits(): TaskLimits {
    const machine = Math.min(totalmem(), constrainedMemory() || Infinity) / MEGABYTE;
    const megabytes = Math.floor((machine * SHARE) / FILES_AT_ONCE);
    return {
      megabytes: Math.min(MOST_MEGABYTES, Math.max(LEAST_MEGABYTES, megabytes)),
      seconds: 60,
      secondsPerMegabyte: 15,
      secondsPerPage: 60,
      keptMegabytes: 320, // twice the memory of a process that has parsed one file of each format
    };
  }

  private secondsFor(task: Task, bytes?: Uint8Array): number {
    const { seconds, secondsPerMegabyte, secondsPerPage } = this.limits();
    if (task.kind === 'draw' || task.kind === 'view') return secondsPerPage;
    return seconds + (secondsPerMegabyte * sizeOf(task, bytes)) / MEGABYTE;
  }

  private take(): ReaderProcess {
    for (const [reader, timer] of this.free) {
      clearTimeout(timer);
      this.free.delete(reader);
      if (reader.isAlive) return reader;
      this.all.delete(reader);
    }
    const reader = new ReaderProcess({
      tokenizer: this.tokenizer,
      ...this.chunks,
      megabytes: this.limits().megabytes,
      office: this.office,
    });
    this.all.add(reader);
    return reader;
  }

  private giveBack(reader: ReaderProcess): void {
    if (!reader.isAlive || reader.megabytes > this.limits().keptMegabytes) {
      void this.dismiss(reader);
      return;
    }
    const timer = setTimeout(() => {
      if (this.free.size > 1 && this.free.delete(reader)) void this.dismiss(reader);
    }, KEPT_MS);
    this.free.set(reader, timer.unref());
  }

  private async dismiss(reader: ReaderProcess): Promise<void> {
    await reader.end();
    this.all.delete(reader);
  }
}

function isShortText(task: Task): task is TextTask {
  return 'text' in task && task.text.length <= SHORT_TEXT;
}

/** In bytes or UTF-16 code units. */
function sizeOf(task: Task, bytes?: Uint8Array): number {
  if (bytes !== undefined) return bytes.length;
  return 'text' in task ? task.text.length : 0;
}

/** @returns a function that releases the slot. */
function turnIn(lane: LimitFunction): Promise<() => void> {
  return new Promise((resolve) => {
    void lane(() => new Promise<void>(resolve));
  });
}
