import { findOffice } from '../office/libre-office.js';
import { pageSourceOf } from '../page-source.js';
import { ParseFailure } from '../parse-failure.js';
import type { Task } from '../reader/messages.js';
import type { Readers } from '../reader/readers.js';
import { type Lane } from '../reader/readers.js';
import type { ConvertedPdf } from './drawn-pages.js';
import type { PageImage, PageView } from './page-image.js';

/** Renders page images of PDFs and images, and of office documents with LibreOffice. */
export class PageRenderer {
  constructor(private readonly readers: Readers) {}

  /** Whether pages of a type can be rendered. Office documents need LibreOffice. */
  async canRender(contentType: string): Promise<boolean> {
    const source = pageSourceOf(contentType);
    if (source === undefined) return false;
    return source.drawn !== undefined || (await findOffice(this.readers.office)) !== undefined;
  }

  /**
   * Whether the pages of the parsed text are the rendered pages. False if the file is converted to PDF for rendering.
   */
  hasOwnPages(contentType: string): boolean {
    return pageSourceOf(contentType)?.drawn !== undefined;
  }

  /**
   * Renders the pages of a file in order, including blank pages, at 150 dpi. Pages are rendered on demand, one file at
   * a time. Observes the current signal.
   *
   * @param contentType detected type
   * @param skipped number of leading pages to skip
   * @throws ParseFailure if the file cannot be rendered within the limits, or if it needs LibreOffice and LibreOffice
   * is not installed; the abort reason of the signal.
   */
  render(bytes: Uint8Array, contentType: string, skipped = 0): AsyncGenerator<PageImage, void> {
    return this.drawn('pages', bytes, { kind: 'draw', contentType, from: skipped + 1, only: false });
  }

  /**
   * Renders a query image like a page. If the image is a TIFF, renders its first page.
   *
   * @throws ParseFailure if it cannot be rendered within the limits; the abort reason of the signal.
   */
  async picture(bytes: Uint8Array, contentType: string): Promise<PageImage> {
    let first: PageImage | undefined;
    const task = { kind: 'draw', contentType, from: 1, only: true } as const;
    for await (const page of this.drawn('requests', bytes, task)) first = page;
    if (first === undefined) throw new ParseFailure('The image is empty.');
    return first;
  }

  /**
   * Renders one page for display, with the positions of its words.
   *
   * @param pageNumber 1-based
   * @returns null if there is no such page, or if pages of the type need a conversion
   * @throws ParseFailure if it cannot be rendered within the limits; the abort reason of the signal.
   */
  async view(bytes: Uint8Array, contentType: string, pageNumber: number): Promise<PageView | null> {
    const task = { kind: 'view', contentType, pageNumber } as const;
    let view: PageView | null = null;
    for await (const result of this.readers.run(task, 'views', bytes)) {
      if (result.kind === 'view') ({ view } = result);
    }
    return view;
  }

  /**
   * Converts an office document to PDF with LibreOffice, for display.
   *
   * @param contentType detected type
   * @throws ParseFailure if it cannot be converted within the limits, or if LibreOffice is not installed; the abort
   * reason of the signal.
   */
  async toPdf(bytes: Uint8Array, contentType: string): Promise<ConvertedPdf> {
    let pdf = new Uint8Array();
    let pages = 0;
    let filled = 0;
    for await (const result of this.readers.run({ kind: 'convert', contentType }, 'conversions', bytes)) {
      if (result.kind === 'converted') {
        pdf = new Uint8Array(result.size);
        pages = result.pageCount;
      } else if (result.kind === 'part') {
        pdf.set(result.part, filled);
        filled += result.part.length;
      }
    }
    return { pdf, pageCount: pages };
  }

  /**
   * Reads the words of each page of a PDF, in order.
   *
   * @throws ParseFailure if the file cannot be opened within the limits; the abort reason of the signal.
   */
  async words(pdf: Uint8Array): Promise<string[][]> {
    const pages: string[][] = [];
    for await (const result of this.readers.run({ kind: 'words' }, 'views', pdf)) {
      if (result.kind === 'words') pages.push([...result.words]);
    }
    return pages;
  }

  private async *drawn(lane: Lane, bytes: Uint8Array, task: Task): AsyncGenerator<PageImage, void> {
    for await (const result of this.readers.run(task, lane, bytes)) {
      if (result.kind === 'page') yield result.page;
    }
  }
}
