import { types } from 'node:util';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { chunkBudget } from '../config/combinations.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { chooseTokenizer } from '../splitting/choose-tokenizer.js';
import type { Piece } from '../splitting/piece.js';
import { ParseFailure } from './parse-failure.js';
import type { Hints } from './parser.js';
import type { Job, ReadResult, Reply, SplitHints } from './reader/messages.js';
import { ReadingThread, type JobOptions, type ThreadLimits } from './reader/reading-thread.js';

const LIMITS: ThreadLimits = { heapMegabytes: 2_048, deadlineMs: 300_000 };

/**
 * Reads files and splits texts on a worker thread, one job at a time, so that the event loop stays free and a file
 * that takes all memory or never ends takes the thread with it, not the process.
 */
@Injectable()
export class DocumentReader implements OnModuleDestroy {
  private readonly thread: ReadingThread;
  /** Ends when the jobs so far have. */
  private queue: Promise<unknown> = Promise.resolve();

  constructor(@Inject(SETTINGS) settings: Settings) {
    this.thread = new ReadingThread(
      { tokenizer: chooseTokenizer(settings), ...chunkBudget(settings) },
      this.limits(),
    );
  }

  /**
   * Parses a file and splits its text to the configured chunk size.
   * @param bytes given away: the buffer behind them is detached, unless it is larger than they are.
   * @throws ParseFailure when the file cannot become a document; the signal's reason when aborted.
   */
  async read(bytes: Uint8Array, hints: Hints, options: JobOptions = {}): Promise<ReadResult> {
    const reply = await this.run({ kind: 'read', bytes: ownBuffer(bytes), hints }, options);
    if (reply.kind !== 'read') throw unexpected(reply);
    return reply.result;
  }

  /** Splits a text to the configured chunk size; `hints.lead` splits a tail. @throws the signal's reason when aborted. */
  async split(text: string, hints: SplitHints = {}, options: JobOptions = {}): Promise<readonly Piece[]> {
    const reply = await this.run({ kind: 'split', text, hints }, options);
    if (reply.kind !== 'split') throw unexpected(reply);
    return reply.pieces;
  }

  async onModuleDestroy(): Promise<void> {
    await this.thread.end();
  }

  /** Bounds of one job; a test narrows them. */
  protected limits(): ThreadLimits {
    return LIMITS;
  }

  private async run(job: Job, options: JobOptions): Promise<Exclude<Reply, { kind: 'progress' }>> {
    options.signal?.throwIfAborted();
    const turn = this.queue.then(() => this.thread.run(job, options));
    this.queue = turn.catch(() => undefined); // the caller learns of it through `turn`
    const reply = await turn;
    if (reply.kind === 'failure') {
      throw new ParseFailure(reply.message, reply.cause === null ? {} : { cause: reply.cause });
    }
    if (reply.kind === 'error') throw new Error(`reading failed: ${reply.stack}`);
    return reply;
  }
}

/** Bytes alone in their buffer, so that it can be handed over without a copy; a part of a larger one is copied. */
function ownBuffer(bytes: Uint8Array): Uint8Array {
  const alone = bytes.byteLength === bytes.buffer.byteLength && types.isArrayBuffer(bytes.buffer);
  return alone ? new Uint8Array(bytes.buffer) : new Uint8Array(bytes);
}

function unexpected({ kind }: Reply): Error {
  return new Error(`the reading thread answered "${kind}" to another job`);
}
