import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { findOffice } from '../office/find-program.js';
import { pageSourceOf } from '../page-source.js';
import { ParseFailure } from '../parse-failure.js';
import type { Task } from '../reader/messages.js';
import { Readers, type Lane } from '../reader/readers.js';
import type { PageImage } from './page-image.js';

/** Draws files as people see them: page images of PDFs, of images, and of office documents by way of LibreOffice. */
@Injectable()
export class PageRenderer {
  constructor(
    private readonly readers: Readers,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** Whether pages of files of the type can be drawn here: those of office documents need LibreOffice. */
  async canRender(contentType: string): Promise<boolean> {
    const source = pageSourceOf(contentType);
    if (source === undefined) return false;
    return source.drawn !== undefined || (await findOffice(this.settings.SOFFICE_PATH)) !== undefined;
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
    return this.drawn('pages', bytes, { kind: 'draw', contentType, from: skipped + 1, only: false });
  }

  /**
   * An image that is a question, as a page is made of it; of a TIFF file the first.
   * @throws ParseFailure when it cannot be drawn within the limits; the reason of the signal when it is aborted.
   */
  async picture(bytes: Uint8Array, contentType: string): Promise<PageImage> {
    let first: PageImage | undefined;
    const task = { kind: 'draw', contentType, from: 1, only: true } as const;
    for await (const page of this.drawn('requests', bytes, task)) first = page;
    if (first === undefined) throw new ParseFailure('The image is empty.');
    return first;
  }

  private async *drawn(lane: Lane, bytes: Uint8Array, task: Task): AsyncGenerator<PageImage, void> {
    for await (const result of this.readers.run(task, lane, bytes)) {
      if (result.kind === 'page') yield result.page;
    }
  }
}
