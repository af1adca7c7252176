import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import pLimit, { type LimitFunction } from 'p-limit';
import { LinkedAbort } from '../../errors/index.js';
import { currentSignal } from '../../request/request-context.js';
import { LibreOffice } from '../office/libre-office.js';
import { ParseFailure } from '../parse-failure.js';
import { drawPages, type DrawingLimits } from './drawing-process.js';
import type { PageImage } from './page-image.js';
import { pageSourceOf } from './page-source.js';

/** A page takes a tenth of a second; one of a thousand paths and pictures some seconds. */
const LIMITS: DrawingLimits = { megabytes: 1_024, pageMs: 60_000 };

/** Draws files as people see them: page images of PDFs, of images, and of office documents by way of LibreOffice. */
@Injectable()
export class PageRenderer implements OnModuleDestroy {
  /** What a page takes in memory, it takes once. */
  private readonly files = pLimit(1);
  /** An image that somebody asks with does not wait behind a long file. */
  private readonly questions = pLimit(1);
  private readonly stopping = new AbortController();

  constructor(private readonly libreOffice: LibreOffice) {}

  /** Whether pages of files of the type can be drawn here: those of office documents need LibreOffice. */
  async canRender(contentType: string): Promise<boolean> {
    const source = pageSourceOf(contentType);
    return source !== undefined && (source.drawn !== undefined || (await this.libreOffice.isInstalled()));
  }

  /** Whether the pages that a file of the type is read by are those that are drawn; not so where a PDF is made first. */
  hasOwnPages(contentType: string): boolean {
    return pageSourceOf(contentType)?.drawn !== undefined;
  }

  /**
   * The pages of a file in order, blank ones included, at 150 dots to the inch; each is drawn when it is asked for, and
   * one file at a time. Listens to the signal of the present request or job.
   * @param contentType as it was sniffed
   * @param skipped pages at the beginning that are not drawn
   * @throws ParseFailure when the file cannot be drawn within the limits, or LibreOffice is needed and not installed; the
   *   reason of the signal when it is aborted.
   */
  render(bytes: Uint8Array, contentType: string, skipped = 0): AsyncGenerator<PageImage, void> {
    return this.drawn(this.files, bytes, contentType, skipped);
  }

  /**
   * An image that is a question, as a page is made of it; of a TIFF file the first.
   * @throws ParseFailure when it cannot be drawn within the limits; the reason of the signal when it is aborted.
   */
  async picture(bytes: Uint8Array, contentType: string): Promise<PageImage> {
    for await (const page of this.drawn(this.questions, bytes, contentType, 0)) return page;
    throw new ParseFailure('The image is empty.');
  }

  private async *drawn(
    lane: LimitFunction,
    bytes: Uint8Array,
    contentType: string,
    skipped: number,
  ): AsyncGenerator<PageImage, void> {
    const source = pageSourceOf(contentType);
    if (source === undefined) throw new ParseFailure(`Files of type ${contentType} have no pages.`);
    const end = new LinkedAbort(currentSignal());
    const stop = (): void => {
      end.abort(this.stopping.signal.reason);
    };
    this.stopping.signal.addEventListener('abort', stop);
    const release = await turnIn(lane);
    try {
      end.signal.throwIfAborted();
      const file =
        source.drawn === undefined
          ? await this.libreOffice.convert(bytes, { from: source.from, to: 'pdf' }, end.signal)
          : bytes;
      yield* drawPages(file, { type: source.drawn ?? 'pdf', skipped }, this.limits(), end.signal);
    } finally {
      release();
      end.end();
      this.stopping.signal.removeEventListener('abort', stop);
    }
  }

  onModuleDestroy(): void {
    this.stopping.abort(new Error('the service is stopping'));
  }

  /** Bounds of one file; a test narrows them. */
  protected limits(): DrawingLimits {
    return LIMITS;
  }
}

/** @returns what lets the next file go ahead. */
function turnIn(lane: LimitFunction): Promise<() => void> {
  return new Promise((resolve) => {
    void lane(() => new Promise<void>(resolve));
  });
}
