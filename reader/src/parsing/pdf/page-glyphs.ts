import { PdfiumFile, type Matrix, type PdfiumModule } from './pdfium-file.js';
import { around, type PageRectangle } from './page-rectangle.js';

/**
 * A drawn character in PDF units (1/72 inch), y upwards. The coordinates of rotated text are rotated to the horizontal.
 */
export interface Glyph {
  readonly character: string;
  /** Origin on the baseline. The letters of a ligature share this origin. */
  readonly x: number;
  readonly y: number;
  readonly left: number;
  readonly right: number;
  /** Font size as drawn. */
  readonly size: number;
  /** Direction of the text in degrees, counted counterclockwise. */
  readonly angle: number;
  /** Number of the word in PDFium's segmentation. */
  readonly word: number;
  /** The text object that draws the glyph. */
  readonly object: number;
  /** Whether the font has no character for the glyph. */
  readonly isUnmapped: boolean;
}

export interface PageWord extends PageRectangle {
  readonly text: string;
}

const FIRST_PRINTABLE = 0x20;
/** PDFium's code of a hyphen at the end of a line. */
const LINE_END_HYPHEN = 2;
const HYPHEN = 0x2d;
const REPLACEMENT = 0xfffd;
const MAX_CODE_POINT = 0x10ffff;
const DEGREES = 180 / Math.PI;

/** Minimum angle of turned text, in degrees; in font sizes: maximum width of a ligature, and distance of baselines. */
const TURNED = 1;
const MAX_LIGATURE = 2;
const SAME_BASELINE = 0.1;

/** Reads the glyphs of PDF pages with PDFium. */
export class PageGlyphs {
  constructor(private readonly file: PdfiumFile) {}

  /**
   * @param module a module that outlives this object; by default, a new module
   * @returns null if PDFium cannot open the file
   */
  static async open(bytes: Uint8Array, module?: PdfiumModule): Promise<PageGlyphs | null> {
    const file = await PdfiumFile.open(bytes, module);
    return file === null ? null : new PageGlyphs(file);
  }

  /** @param pageNumber 1-based */
  of(pageNumber: number): Glyph[] {
    return this.file.onPage(pageNumber, (page) => this.onPage(page)) ?? [];
  }

  /** @param page a page that PDFium has opened */
  onPage(page: number): Glyph[] {
    return this.file.onTextOf(page, (textPage) => this.read(textPage)) ?? [];
  }

  /**
   * The words of a page in the order of PDFium, with their positions on the rendered page.
   *
   * @param pageNumber 1-based
   */
  wordsOf(pageNumber: number): PageWord[] {
    const words = this.file.onPage(pageNumber, (page) =>
      this.file.onTextOf(page, (textPage) => this.readWords(page, textPage)),
    );
    return words ?? [];
  }

  close(): void {
    this.file.close();
  }

  private read(textPage: number): Glyph[] {
    const { module } = this.file;
    const glyphs: Glyph[] = [];
    const count = module._FPDFText_CountChars(textPage);
    let word = 0;
    for (let index = 0; index < count; index += 1) {
      const found = module._FPDFText_GetUnicode(textPage, index);
      const isHyphen = found === LINE_END_HYPHEN && module._FPDFText_IsHyphen(textPage, index) === 1;
      const low = isHighSurrogate(found) ? module._FPDFText_GetUnicode(textPage, index + 1) : 0;
      const code = isHyphen ? HYPHEN : codePointOf(found, low);
      const glyph = this.glyph(textPage, index, code, word);
      if (code !== found && !isHyphen) index += 1;
      const isUnmapped = glyph.isUnmapped && glyph.right > glyph.left;
      // PDFium marks word and line ends with characters without a width.
      if (!isUnmapped && (code < FIRST_PRINTABLE || (code === FIRST_PRINTABLE && glyph.right <= glyph.left)))
        word += 1;
      else glyphs.push(glyph);
    }
    return withLigaturesInPlace(glyphs);
  }

  private readWords(page: number, textPage: number): PageWord[] {
    const upright = this.file.uprightMatrix(page);
    const words: PageWord[] = [];
    let text = '';
    let boxes: PageRectangle[] = [];
    const count = this.file.module._FPDFText_CountChars(textPage);
    for (let index = 0; index <= count; index += 1) {
      const code = index === count ? 0 : this.file.module._FPDFText_GetUnicode(textPage, index);
      if (code > FIRST_PRINTABLE) {
        text += characterOf(code);
        boxes.push(this.place(upright, textPage, index));
      } else if (text !== '') {
        words.push({ text, ...around(boxes) });
        text = '';
        boxes = [];
      }
    }
    return words;
  }

  private place(upright: Matrix, textPage: number, index: number): PageRectangle {
    this.file.module._FPDFText_GetLooseCharBox(textPage, index, this.file.scratch);
    const [left = 0, top = 0, right = 0, bottom = 0] = this.file.floats();
    const { a, b, c, d, e, f } = upright;
    const corners = [
      [left, top],
      [right, bottom],
    ].map(([x = 0, y = 0]) => ({ left: a * x + c * y + e, top: b * x + d * y + f, width: 0, height: 0 }));
    return around(corners);
  }

  private glyph(textPage: number, index: number, code: number, word: number): Glyph {
    const { file } = this;
    const { module } = file;
    module._FPDFText_GetCharBox(
      textPage,
      index,
      file.double(0),
      file.double(1),
      file.double(2),
      file.double(3),
    );
    const [boxLeft = 0, boxRight = 0, bottom = 0, top = 0] = file.doubles();
    module._FPDFText_GetCharOrigin(textPage, index, file.double(0), file.double(1));
    const [originX = 0, originY = 0] = file.doubles();
    module._FPDFText_GetMatrix(textPage, index, file.scratch);
    const [, , c = 0, d = 0] = file.floats();
    const angle = -module._FPDFText_GetCharAngle(textPage, index); // PDFium counts angles clockwise
    const [cosine, sine] = [Math.cos(angle), Math.sin(angle)];
    const along = (x: number, y: number): number => x * cosine + y * sine;
    const corners = [bottom, top].flatMap((y) => [along(boxLeft, y), along(boxRight, y)]);
    return {
      character: characterOf(code),
      x: along(originX, originY),
      y: originY * cosine - originX * sine,
      left: Math.min(...corners),
      right: Math.max(...corners),
      size: module._FPDFText_GetFontSize(textPage, index) * (Math.hypot(c, d) || 1),
      angle: angle * DEGREES,
      word,
      object: module._FPDFText_GetTextObject(textPage, index),
      isUnmapped: module._FPDFText_HasUnicodeMapError(textPage, index) === 1,
    };
  }
}

/**
 * Moves the letters of ligatures between their neighbours. PDFium turns the place of a ligature twice if the text is
 * turned.
 */
function withLigaturesInPlace(glyphs: Glyph[]): Glyph[] {
  for (let start = 1; start + 1 < glyphs.length; start += 1) {
    const [before, first] = [glyphs[start - 1], glyphs[start]];
    if (before === undefined || first === undefined || Math.abs(first.angle) < TURNED) continue;
    if (first.x !== glyphs[start + 1]?.x || first.y !== glyphs[start + 1]?.y) continue;
    let end = start + 1;
    while (glyphs[end]?.x === first.x && glyphs[end]?.y === first.y) end += 1;
    const after = glyphs[end];
    const [left, right] = [before.right, after?.left ?? before.right + first.size];
    const isSameLine = (y: number): boolean => Math.abs(y - before.y) < SAME_BASELINE * first.size;
    const isBetween = after !== undefined && isSameLine(after.y) && right > left;
    if (!isBetween || right - left > MAX_LIGATURE * first.size || isSameLine(first.y)) continue;
    for (let at = start; at < end; at += 1) {
      const glyph = glyphs[at];
      if (glyph !== undefined) glyphs[at] = { ...glyph, x: left, y: before.y, left, right };
    }
    start = end;
  }
  return glyphs;
}

/** PDFium has two characters for a letter outside of the basic plane. */
function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00;
}

function codePointOf(code: number, low: number): number {
  return low >= 0xdc00 && low < 0xe000 ? 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00) : code;
}

function characterOf(code: number): string {
  return String.fromCodePoint(code > MAX_CODE_POINT ? REPLACEMENT : code);
}
