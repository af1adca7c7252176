import { types } from 'node:util';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { chunkBudget } from '../config/combinations.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import type { Piece } from '../splitting/piece.js';
import { chooseTokenizer } from '../splitting/token-counter.js';
import { ParseFailure } from './parse-failure.js';
import { PackedText } from './packed-text.js';
import type { Hints } from './parser.js';
import type { ReadResult, SplitHints } from './reader/messages.js';
import { defaultLimits, type JobLimits } from './reader/job-watch.js';
import { ReadingThread, type Answer, type JobOptions } from './reader/reading-thread.js';

/**
 * Reads files and splits texts on worker threads, one job at a time on each, so that the event loop stays free and a file
 * that takes all memory or never ends takes the thread with it, not the process.
 */
@Injectable()
export class DocumentReader implements OnModuleDestroy {
  private readonly files: ReadingThread;
  /** A short text does not wait behind a long file. */
  private readonly texts: ReadingThread;

  constructor(@Inject(SETTINGS) settings: Settings) {
    const options = { tokenizer: chooseTokenizer(settings), ...chunkBudget(settings) };
    this.files = new ReadingThread(options, this.limits());
    this.texts = new ReadingThread(options, this.limits());
  }

  /**
   * Parses a file and splits its text to the configured chunk size.
   * @param bytes owned by the reader from here on: their buffer is detached, unless it is larger than they are.
   * @throws ParseFailure when the file cannot become a document; the reason of the present signal when it is aborted.
   */
  async read(bytes: Uint8Array, hints: Hints, options: JobOptions = {}): Promise<ReadResult> {
    const reply = answered(await this.files.run({ kind: 'read', bytes: ownBuffer(bytes), hints }, options));
    if (reply.kind !== 'read') throw unexpected(reply);
    const { document, text, pieces } = reply;
    return {
      document: { ...document, text: typeof text === 'string' ? text : new PackedText(text) },
      pieces,
    };
  }

  /**
   * Splits a text to the configured chunk size; `hints.lead` splits a tail.
   * @param options `background` queues it with the files, so that others' short texts do not wait for it.
   * @throws the reason of the present signal when it is aborted.
   */
  async split(
    text: string,
    hints: SplitHints = {},
    options: JobOptions & { readonly background?: boolean } = {},
  ): Promise<readonly Piece[]> {
    const thread = options.background === true ? this.files : this.texts;
    const reply = answered(await thread.run({ kind: 'split', text, hints }, options));
    if (reply.kind !== 'split') throw unexpected(reply);
    return reply.pieces;
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all([this.files.end(), this.texts.end()]);
  }

  /** Bounds of one job; a test narrows them. */
  protected limits(): JobLimits {
    return defaultLimits();
  }
}

/** @throws ParseFailure when the file cannot become a document. */
function answered(reply: Answer): Exclude<Answer, { kind: 'failure' | 'error' }> {
  if (reply.kind === 'failure') {
    throw new ParseFailure(reply.message, reply.cause === null ? {} : { cause: reply.cause });
  }
  if (reply.kind === 'error') throw new Error(`reading failed: ${reply.stack}`);
  return reply;
}

/** Bytes alone in their buffer, so that it can be handed over without a copy; a part of a larger one is copied. */
function ownBuffer(bytes: Uint8Array): Uint8Array {
  const alone = bytes.byteLength === bytes.buffer.byteLength && types.isArrayBuffer(bytes.buffer);
  return alone ? new Uint8Array(bytes.buffer) : new Uint8Array(bytes);
}

function unexpected({ kind }: Answer): Error {
  return new Error(`the reading thread answered "${kind}" to another job`);
}
