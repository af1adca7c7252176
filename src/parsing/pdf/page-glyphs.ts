import { PDFiumModule } from '@hyzyla/pdfium';

/** A drawn character in PDF units (1/72 inch), y upwards. Coordinates of rotated text are turned to the horizontal. */
export interface Glyph {
  readonly character: string;
  /** Origin on the baseline. The letters of a ligature share it. */
  readonly x: number;
  readonly y: number;
  readonly left: number;
  readonly right: number;
  readonly size: number;
  /** Number of the word, as PDFium splits the text. */
  readonly word: number;
}

type Module = Awaited<ReturnType<typeof PDFiumModule>>;

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
}

const DOUBLE = 8;
const FIRST_PRINTABLE = 0x20;
const REPLACEMENT = 0xfffd;
const MAX_CODE_POINT = 0x10ffff;

/** Reads the glyphs of PDF pages with PDFium. Keeps a copy of the file until `close`. */
export class PageGlyphs {
  private constructor(
    private readonly module: Module & TextFunctions,
    private readonly bytes: number,
    private readonly document: number,
    private readonly doubles: number,
  ) {}

  /** @returns null if PDFium cannot open the file */
  static async open(bytes: Uint8Array): Promise<PageGlyphs | null> {
    const module = (await PDFiumModule({})) as Module & TextFunctions;
    module._FPDF_InitLibraryWithConfig({});
    const copy = module.wasmExports.malloc(bytes.length);
    module.HEAPU8.set(bytes, copy);
    const document = module._FPDF_LoadMemDocument(copy, bytes.length, 0);
    if (document === 0) return null;
    return new PageGlyphs(module, copy, document, module.wasmExports.malloc(4 * DOUBLE));
  }

  /** @param pageNumber 1-based */
  of(pageNumber: number): Glyph[] {
    const page = this.module._FPDF_LoadPage(this.document, pageNumber - 1);
    if (page === 0) return [];
    const textPage = this.module._FPDFText_LoadPage(page);
    try {
      return textPage === 0 ? [] : this.read(textPage);
    } finally {
      if (textPage !== 0) this.module._FPDFText_ClosePage(textPage);
      this.module._FPDF_ClosePage(page);
    }
  }

  close(): void {
    this.module._FPDF_CloseDocument(this.document);
    this.module.wasmExports.free(this.doubles);
    this.module.wasmExports.free(this.bytes);
    this.module._FPDF_DestroyLibrary();
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

  private glyph(textPage: number, index: number, code: number, word: number): Glyph {
    const pointers = [0, 1, 2, 3].map((at) => this.doubles + at * DOUBLE);
    const [first = 0, second = 0, third = 0, fourth = 0] = pointers;
    this.module._FPDFText_GetCharBox(textPage, index, first, second, third, fourth);
    const [boxLeft, boxRight, bottom, top] = this.readDoubles();
    this.module._FPDFText_GetCharOrigin(textPage, index, first, second);
    const [originX, originY] = this.readDoubles();
    const angle = -this.module._FPDFText_GetCharAngle(textPage, index); // counted clockwise
    const [cosine, sine] = [Math.cos(angle), Math.sin(angle)];
    const along = (x: number, y: number): number => x * cosine + y * sine;
    const corners = [bottom, top].flatMap((y) => [along(boxLeft, y), along(boxRight, y)]);
    return {
      character: String.fromCodePoint(code > MAX_CODE_POINT ? REPLACEMENT : code),
      x: along(originX, originY),
      y: originY * cosine - originX * sine,
      left: Math.min(...corners),
      right: Math.max(...corners),
      size: this.module._FPDFText_GetFontSize(textPage, index),
      word,
    };
  }

  private readDoubles(): [number, number, number, number] {
    const view = new DataView(this.module.HEAPU8.buffer, this.doubles, 4 * DOUBLE);
    const [first = 0, second = 0, third = 0, fourth = 0] = [0, 1, 2, 3].map((at) =>
      view.getFloat64(at * DOUBLE, true),
    );
    return [first, second, third, fourth];
  }
}
