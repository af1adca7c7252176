import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { chunkBudget } from '../config/combinations.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import type { Piece } from '../splitting/piece.js';
import { chooseTokenizer } from '../splitting/token-counter.js';
import { LibreOffice } from './office/libre-office.js';
import { PackedText } from './packed-text.js';
import { errorOf } from './reader/failures.js';
import type { ContextHints, ReadHints, ReadResult, SplitHints } from './reader/messages.js';
import { defaultLimits, type JobLimits } from './reader/job-watch.js';
import { ownBuffer } from './reader/own-buffer.js';
import { ReadingThread, type Answer, type JobOptions } from './reader/reading-thread.js';

interface QueueOptions extends JobOptions {
  /** Queue it with the files, so that others' short texts do not wait for it. */
  readonly background?: boolean;
}

/**
 * Reads files and splits texts on worker threads, one job at a time on each, so that the event loop stays free and a file
 * that takes all memory or never ends takes the thread with it, not the process.
 */
@Injectable()
export class DocumentReader implements OnModuleDestroy {
  private readonly files: ReadingThread;
  /** A short text does not wait behind a long file. */
  private readonly texts: ReadingThread;
  /** Nor does an image that somebody asks with. */
  private readonly questions: ReadingThread;

  constructor(@Inject(SETTINGS) settings: Settings, libreOffice: LibreOffice = new LibreOffice(settings)) {
    const options = { tokenizer: chooseTokenizer(settings), ...chunkBudget(settings) };
    this.files = new ReadingThread(options, this.limits(), libreOffice);
    this.texts = new ReadingThread(options, this.limits(), libreOffice);
    this.questions = new ReadingThread(options, this.limits(), libreOffice);
  }

  /**
   * Parses a file and splits its text to the configured chunk size.
   * @param bytes owned by the reader from here on: their buffer is detached, unless it is larger than they are.
   * @throws ParseFailure when the file cannot become a document; the reason of the present signal when it is aborted.
   */
  async read(bytes: Uint8Array, hints: ReadHints, options: JobOptions = {}): Promise<ReadResult> {
    return readOn(this.files, bytes, hints, options);
  }

  /**
   * The text in an image that is a question, empty where there is none.
   * @throws ParseFailure when it cannot be decoded; the reason of the present signal when it is aborted.
   */
  async recognise(image: Uint8Array): Promise<string> {
    const { document } = await readOn(this.questions, image, { allowNoText: true });
    return document.text.slice().trim();
  }

  /**
   * Splits a text to the configured chunk size; `hints.lead` splits a tail.
   * @throws the reason of the present signal when it is aborted.
   */
  async split(text: string, hints: SplitHints = {}, options: QueueOptions = {}): Promise<readonly Piece[]> {
    const reply = answered(await this.threadFor(options).run({ kind: 'split', text, hints }, options));
    if (reply.kind !== 'split') throw unexpected(reply);
    return reply.pieces;
  }

  /** Pieces of a text with the contexts that they have in it, whatever they had before. */
  async withContexts(
    text: string,
    pieces: readonly Piece[],
    hints: ContextHints,
    options: QueueOptions = {},
  ): Promise<readonly Piece[]> {
    const job = { kind: 'contexts', text, pieces, hints } as const;
    const reply = answered(await this.threadFor(options).run(job, options));
    if (reply.kind !== 'contexts') throw unexpected(reply);
    return reply.pieces;
  }

  private threadFor({ background = false }: QueueOptions): ReadingThread {
    return background ? this.files : this.texts;
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all([this.files, this.texts, this.questions].map((thread) => thread.end()));
  }

  /** Bounds of one job; a test narrows them. */
  protected limits(): JobLimits {
    return defaultLimits();
  }
}

async function readOn(
  thread: ReadingThread,
  bytes: Uint8Array,
  hints: ReadHints,
  options: JobOptions = {},
): Promise<ReadResult> {
  const reply = answered(await thread.run({ kind: 'read', bytes: ownBuffer(bytes), hints }, options));
  if (reply.kind !== 'read') throw unexpected(reply);
  const { document, text, pieces } = reply;
  return { document: { ...document, text: typeof text === 'string' ? text : new PackedText(text) }, pieces };
}

/** @throws ParseFailure when the file cannot become a document. */
function answered(reply: Answer): Exclude<Answer, { kind: 'failure' | 'error' }> {
  if (reply.kind === 'failure' || reply.kind === 'error') throw errorOf(reply);
  return reply;
}

function unexpected({ kind }: Answer): Error {
  return new Error(`the reading thread answered "${kind}" to another job`);
}
