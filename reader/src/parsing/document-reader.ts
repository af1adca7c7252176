import type { Piece } from '../splitting/piece.js';
import { PackedText, type PackedPart } from './packed-text.js';
import { ParseFailure } from './parse-failure.js';
import type { Hints, ParsedDocument } from './parser.js';
import type { ContextHints, Progress, ReadHints, ReadResult, SplitHints, Task } from './reader/messages.js';
import type { Readers } from './reader/readers.js';
import { type Lane } from './reader/readers.js';

export interface TaskOptions {
  /** Aborts the task; absent: the current signal of the readers. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: (progress: Progress) => void;
  /** Queues the task with uploads, so that short texts of other requests do not wait for it. */
  readonly background?: boolean;
}

/** Parses files and splits texts in separate processes, to protect the event loop and this process. */
export class DocumentReader {
  constructor(private readonly readers: Readers) {}

  /**
   * Parses a file and splits its text into chunks.
   *
   * @throws ParseFailure if the file cannot become a document; the abort reason of the current signal.
   */
  async read(bytes: Uint8Array, hints: ReadHints, options: TaskOptions = {}): Promise<ReadResult> {
    return this.readIn('files', bytes, hints, options);
  }

  /**
   * Looks whether a file can become a document at all.
   *
   * @throws ParseFailure with a defect; the abort reason of the current signal.
   */
  async judge(bytes: Uint8Array, hints: Hints): Promise<void> {
    try {
      await this.gathered({ kind: 'judge', hints }, 'judgements', {}, bytes);
    } catch (error) {
      // A file that exceeds the limits of a process is left to the reading, which has more time.
      if (!(error instanceof ParseFailure) || error.defect !== null) throw error;
    }
  }

  /**
   * Recognises the text of a query image by OCR; empty if the image has no text.
   *
   * @throws ParseFailure if the image cannot be decoded; the abort reason of the current signal.
   */
  async recognise(image: Uint8Array): Promise<string> {
    const { document } = await this.readIn('requests', image, { allowNoText: true }, {});
    return document.text.slice().trim();
  }

  /**
   * Splits a text into chunks. If the text continues a longer one, `hints.lead` is what precedes it.
   *
   * @throws the abort reason of the current signal.
   */
  async split(text: string, hints: SplitHints = {}, options: TaskOptions = {}): Promise<readonly Piece[]> {
    return this.piecesOf({ kind: 'split', text, hints }, options);
  }

  /** Recomputes the contexts of a text's pieces. */
  async withContexts(
    text: string,
    pieces: readonly Piece[],
    hints: ContextHints,
    options: TaskOptions = {},
  ): Promise<readonly Piece[]> {
    return this.piecesOf({ kind: 'contexts', text, pieces, hints }, options);
  }

  /** Changes the title in the contexts of a text's pieces. */
  async retitled(text: string, pieces: readonly Piece[], hints: ContextHints): Promise<readonly Piece[]> {
    return this.piecesOf({ kind: 'titles', text, pieces, hints }, { background: true });
  }

  private async piecesOf(task: Task, options: TaskOptions): Promise<readonly Piece[]> {
    const lane = options.background === true ? 'files' : 'requests';
    return (await this.gathered(task, lane, options)).pieces;
  }

  private async readIn(
    lane: Lane,
    bytes: Uint8Array,
    hints: ReadHints,
    options: TaskOptions,
  ): Promise<ReadResult> {
    const { document, parts, pieces } = await this.gathered({ kind: 'read', hints }, lane, options, bytes);
    if (document === undefined) throw new Error('a reader finished a file without a document');
    return { document: parts.length === 0 ? document : { ...document, text: new PackedText(parts) }, pieces };
  }

  private async gathered(
    task: Task,
    lane: Lane,
    { onProgress, signal }: TaskOptions,
    bytes?: Uint8Array,
  ): Promise<{ pieces: Piece[]; parts: PackedPart[]; document: ParsedDocument | undefined }> {
    const pieces: Piece[] = [];
    const parts: PackedPart[] = [];
    let document: ParsedDocument | undefined;
    for await (const result of this.readers.run(task, lane, bytes, signal)) {
      switch (result.kind) {
        case 'progress':
          onProgress?.({ step: result.step, done: result.done, total: result.total });
          break;
        case 'pieces': {
          for (const piece of result.pieces) pieces.push(piece);
          const done = pieces.at(-1)?.end ?? 0;
          if (done < result.of) onProgress?.({ step: 'splitting', done, total: result.of });
          break;
        }
        case 'text':
          parts.push(result.part);
          break;
        case 'document':
          ({ document } = result);
          break;
        case 'page':
        case 'view':
        case 'words':
        case 'converted':
        case 'part':
          throw new Error('a reader rendered a page that was not requested');
      }
    }
    return { pieces, parts, document };
  }
}
