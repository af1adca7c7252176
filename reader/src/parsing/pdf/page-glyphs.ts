import { PDFiumModule } from '@hyzyla/pdfium';
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
  readonly size: number;
  /** Number of the word in PDFium's segmentation. */
  readonly word: number;
}

/** A word with its position on the page. */
export interface PageWord extends PageRectangle {
  readonly text: string;
}

export type PdfiumModule = Awaited<ReturnType<typeof PDFiumModule>>;

/** Functions of PDFium that the types of the package lack. Pointers are offsets into the heap. */
interface TextFunctions {
  _FPDFText_GetUnicode(textPage: number, index: number): number;
  _FPDFText_GetCharAngle(textPage: number, index: number): number;
  _FPDFText_GetFontSize(textPage: number, index: number): number;
  _FPDFText_GetCharOrigin(textPage: number, index: number, x: number, y: number): number;
  _FPDFText_GetCharBox(
    textPage: number,
    index: number,
    left: number,
    right: number,
    bottom: number,
    top: number,
  ): number;
  /** Writes left, top, right and bottom as 32-bit floats. Covers the height of the line. */
  _FPDFText_GetLooseCharBox(textPage: number, index: number, rectangle: number): number;
  /** Writes the position on an upright page of the given size as 32-bit integers. */
  _FPDF_PageToDevice(
    page: number,
    startX: number,
    startY: number,
    sizeX: number,
    sizeY: number,
    rotate: number,
    x: number,
    y: number,
    deviceX: number,
    deviceY: number,
  ): number;
}

const DOUBLE = 8;
const FLOAT = 4;
/** Side of the virtual page to which positions are mapped. Large, because PDFium returns integer coordinates. */
const UNITS = 1_000_000;
const FIRST_PRINTABLE = 0x20;
const REPLACEMENT = 0xfffd;
const MAX_CODE_POINT = 0x10ffff;

/** Reads the glyphs of PDF pages with PDFium. Keeps a copy of the file until `close`. */
export class PageGlyphs {
  private constructor(
    private readonly module: PdfiumModule & TextFunctions,
    private readonly ownsModule: boolean,
    private readonly bytes: number,
    private readonly document: number,
    private readonly doubles: number,
  ) {}

  /**
   * @param module a module that outlives this object; by default, a new module
   * @returns null if PDFium cannot open the file
   */
  static async open(bytes: Uint8Array, module?: PdfiumModule): Promise<PageGlyphs | null> {
    const used = (module ?? (await startPdfium())) as PdfiumModule & TextFunctions;
    const copy = used.wasmExports.malloc(bytes.length);
    used.HEAPU8.set(bytes, copy);
    const document = used._FPDF_LoadMemDocument(copy, bytes.length, 0);
    const doubles = used.wasmExports.malloc(4 * DOUBLE);
    const glyphs = new PageGlyphs(used, module === undefined, copy, document, doubles);
    if (document !== 0) return glyphs;
    glyphs.close();
    return null;
  }

  /** @param pageNumber 1-based */
  of(pageNumber: number): Glyph[] {
    return this.onPage(pageNumber, (_, textPage) => this.read(textPage)) ?? [];
  }

  /**
   * The words of a page in the order of PDFium, with their positions on the rendered page.
   *
   * @param pageNumber 1-based
   */
  wordsOf(pageNumber: number): PageWord[] {
    return this.onPage(pageNumber, (page, textPage) => this.readWords(page, textPage)) ?? [];
  }

  private onPage<T>(pageNumber: number, work: (page: number, textPage: number) => T): T | undefined {
    const page = this.module._FPDF_LoadPage(this.document, pageNumber - 1);
    if (page === 0) return undefined;
    const textPage = this.module._FPDFText_LoadPage(page);
    try {
      return textPage === 0 ? undefined : work(page, textPage);
    } finally {
      if (textPage !== 0) this.module._FPDFText_ClosePage(textPage);
      this.module._FPDF_ClosePage(page);
    }
  }

  close(): void {
    if (this.document !== 0) this.module._FPDF_CloseDocument(this.document);
    this.module.wasmExports.free(this.doubles);
    this.module.wasmExports.free(this.bytes);
    if (this.ownsModule) this.module._FPDF_DestroyLibrary();
  }

  private read(textPage: number): Glyph[] {
    const glyphs: Glyph[] = [];
    const count = this.module._FPDFText_CountChars(textPage);
    let word = 0;
    for (let index = 0; index < count; index += 1) {
      const code = this.module._FPDFText_GetUnicode(textPage, index);
      const glyph = this.glyph(textPage, index, code, word);
      // PDFium marks word and line ends with characters without a width.
      if (code < FIRST_PRINTABLE || (code === FIRST_PRINTABLE && glyph.right <= glyph.left)) word += 1;
      else glyphs.push(glyph);
    }
    return glyphs;
  }

  private readWords(page: number, textPage: number): PageWord[] {
    const words: PageWord[] = [];
    let text = '';
    let boxes: PageRectangle[] = [];
    const count = this.module._FPDFText_CountChars(textPage);
    for (let index = 0; index <= count; index += 1) {
      const code = index === count ? 0 : this.module._FPDFText_GetUnicode(textPage, index);
      if (code > FIRST_PRINTABLE) {
        text += characterOf(code);
        boxes.push(this.place(page, textPage, index));
      } else if (text !== '') {
        words.push({ text, ...around(boxes) });
        text = '';
        boxes = [];
      }
    }
    return words;
  }

  private place(page: number, textPage: number, index: number): PageRectangle {
    this.module._FPDFText_GetLooseCharBox(textPage, index, this.doubles);
    const [left, top, right, bottom] = [0, 1, 2, 3].map((at) => this.heap().getFloat32(at * FLOAT, true)) as [
      number,
      number,
      number,
      number,
    ];
    const corners = [
      [left, top],
      [right, bottom],
    ].map(([x = 0, y = 0]) => {
      const [deviceX, deviceY] = [this.doubles, this.doubles + FLOAT];
      this.module._FPDF_PageToDevice(page, 0, 0, UNITS, UNITS, 0, x, y, deviceX, deviceY);
      const heap = this.heap();
      return { left: heap.getInt32(0, true) / UNITS, top: heap.getInt32(FLOAT, true) / UNITS };
    });
    return around(corners.map((corner) => ({ ...corner, width: 0, height: 0 })));
  }

  private glyph(textPage: number, index: number, code: number, word: number): Glyph {
    const pointers = [0, 1, 2, 3].map((at) => this.doubles + at * DOUBLE);
    const [first = 0, second = 0, third = 0, fourth = 0] = pointers;
    this.module._FPDFText_GetCharBox(textPage, index, first, second, third, fourth);
    const [boxLeft, boxRight, bottom, top] = this.readDoubles();
    this.module._FPDFText_GetCharOrigin(textPage, index, first, second);
    const [originX, originY] = this.readDoubles();
    const angle = -this.module._FPDFText_GetCharAngle(textPage, index); // PDFium counts angles clockwise
    const [cosine, sine] = [Math.cos(angle), Math.sin(angle)];
    const along = (x: number, y: number): number => x * cosine + y * sine;
    const corners = [bottom, top].flatMap((y) => [along(boxLeft, y), along(boxRight, y)]);
    return {
      character: characterOf(code),
      x: along(originX, originY),
      y: originY * cosine - originX * sine,
      left: Math.min(...corners),
      right: Math.max(...corners),
      size: this.module._FPDFText_GetFontSize(textPage, index),
      word,
    };
  }

  private readDoubles(): [number, number, number, number] {
    const heap = this.heap();
    const [first = 0, second = 0, third = 0, fourth = 0] = [0, 1, 2, 3].map((at) =>
      heap.getFloat64(at * DOUBLE, true),
    );
    return [first, second, third, fourth];
  }

  /** The results of the last call. Returns a new view each time, because the heap moves when it grows. */
  private heap(): DataView {
    return new DataView(this.module.HEAPU8.buffer, this.doubles, 4 * DOUBLE);
  }
}

/** Loads PDFium, which takes longer than reading or drawing a page. */
export async function startPdfium(): Promise<PdfiumModule> {
  const module = await PDFiumModule({});
  module._FPDF_InitLibraryWithConfig({});
  return module;
}

function characterOf(code: number): string {
  return String.fromCodePoint(code > MAX_CODE_POINT ? REPLACEMENT : code);
}
