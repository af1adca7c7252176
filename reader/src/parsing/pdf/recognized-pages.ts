import { TextRecognizer, type Recognition } from '../text-recognizer.js';
import { pgmOf } from '../turned-pixels.js';
import { joinLines, type TextLine } from './page-text.js';
import { compared, type Comparison } from './legible.js';
import { pageForRecognition } from './page-images.js';
import type { PdfiumFile } from './pdfium-file.js';

export interface RecognizedPage {
  readonly text: string;
  readonly isDoubtful: boolean;
}

/** Minimum confidence of a line in a picture beside text, 0 to 100. Photographs and drawings contain no text. */
const CONFIDENCE = 60;
const WORD = /\p{L}{3,}|\p{N}{2,}/u;

/** Share of the page's height above which a line of text comes before the picture. */
const HEAD = 0.15;

export class RecognizedPages {
  private readonly recognizer = new TextRecognizer();
  /** Fonts of pages whose text is right, though their glyphs seem to have no characters. */
  private readonly rightFonts = new Set<string>();

  constructor(private readonly file: PdfiumFile) {}

  /**
   * Recognises a page without usable text.
   *
   * @param pageNumber 1-based
   * @returns undefined if no text is found
   */
  async page(pageNumber: number): Promise<RecognizedPage | undefined> {
    const found = await this.recognize(pageNumber, true);
    return found === undefined || found.text === '' ? undefined : found;
  }

  /**
   * Recognises a page whose text may be wrong, and compares the words.
   *
   * @param fonts fonts of the page. If they were right on another page, nothing is recognised.
   * @returns the recognised page, unless the text is right
   */
  async doubtful(
    pageNumber: number,
    text: string,
    fonts: ReadonlySet<string>,
  ): Promise<{ readonly text: Comparison; readonly page?: RecognizedPage }> {
    if ([...fonts].every((font) => this.rightFonts.has(font))) return { text: 'right' };
    const page = await this.recognize(pageNumber, true);
    if (page === undefined) return { text: 'unknown' };
    const comparison = compared(text, page.words, page.isDoubtful);
    if (comparison === 'right') for (const font of fonts) this.rightFonts.add(font);
    return { text: comparison, page };
  }

  /**
   * Recognises the pictures of a page with little text, and adds the text.
   *
   * @param lines text of the page
   * @param bottom Y of the lower edge of the page
   * @param top Y of the upper edge
   * @returns undefined if no text is found in the pictures
   */
  async pictures(
    pageNumber: number,
    lines: readonly TextLine[],
    bottom: number,
    top: number,
  ): Promise<RecognizedPage | undefined> {
    const found = await this.recognize(pageNumber, false);
    const read = found?.lines.filter(({ confidence, text }) => confidence >= CONFIDENCE && WORD.test(text));
    if (found === undefined || read === undefined || read.length === 0) return undefined;
    const isClear = read.length === found.lines.filter(({ text }) => text !== '').length;
    const body = isClear ? found.text : read.map(({ text }) => text).join('\n');
    const edge = top - (top - bottom) * HEAD;
    const above = lines.filter(({ y, angle }) => angle === 0 && y > edge);
    const below = lines.filter((line) => !above.includes(line) && !body.includes(line.text));
    const text = [joinLines(above), body, joinLines(below)].filter((part) => part !== '').join('\n\n');
    return { text, isDoubtful: found.isDoubtful };
  }

  close(): Promise<void> {
    return this.recognizer.close();
  }

  private async recognize(pageNumber: number, withText: boolean): Promise<Recognition | undefined> {
    const pixels = pageForRecognition(this.file, pageNumber, withText);
    if (pixels === null) return undefined;
    return this.recognizer.read({ image: pgmOf(pixels), pixels: () => Promise.resolve(pixels) });
  }
}
