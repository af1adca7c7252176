import { TextRecognizer, type Recognition } from '../text-recognizer.js';
import { pgmOf } from '../turned-pixels.js';
import { joinLines, type TextLine } from './page-text.js';
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
