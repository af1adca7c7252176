import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { PDFiumModule } from '@hyzyla/pdfium';

export type PdfiumModule = Awaited<ReturnType<typeof PDFiumModule>>;

/** Functions of PDFium that the types of the package lack. Objects and pointers are offsets into the heap. */
export interface PdfiumFunctions {
  _FPDFText_GetUnicode(textPage: number, index: number): number;
  _FPDFText_HasUnicodeMapError(textPage: number, index: number): number;
  _FPDFText_IsHyphen(textPage: number, index: number): number;
  _FPDFText_GetTextObject(textPage: number, index: number): number;
  _FPDFText_GetCharAngle(textPage: number, index: number): number;
  _FPDFText_GetFontSize(textPage: number, index: number): number;
  /** Writes a, b, c, d, e, f as 32-bit floats. */
  _FPDFText_GetMatrix(textPage: number, index: number, matrix: number): number;
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
  /** Writes the rectangle as 32-bit floats, in units of the page or of the form that contains the object. */
  _FPDFPageObj_GetBounds(object: number, left: number, bottom: number, right: number, top: number): number;
  /** Writes red, green, blue and alpha as 32-bit integers. */
  _FPDFPageObj_GetFillColor(object: number, red: number, green: number, blue: number, alpha: number): number;
  _FPDFPageObj_GetStrokeColor(
    object: number,
    red: number,
    green: number,
    blue: number,
    alpha: number,
  ): number;
  _FPDFPageObj_GetMatrix(object: number, matrix: number): number;
  _FPDFPageObj_CountMarks(object: number): number;
  _FPDFPageObj_GetMark(object: number, index: number): number;
  _FPDFPageObj_SetIsActive(object: number, isActive: number): number;
  /** Writes UTF-16LE with a final NUL, and its length in bytes. */
  _FPDFPageObjMark_GetName(mark: number, buffer: number, size: number, length: number): number;
  _FPDFPageObjMark_GetParamStringValue(
    mark: number,
    key: number,
    buffer: number,
    size: number,
    length: number,
  ): number;
  _FPDFPage_GetAnnotCount(page: number): number;
  _FPDFPage_GetAnnot(page: number, index: number): number;
  _FPDFPage_CloseAnnot(annotation: number): void;
  _FPDFAnnot_GetSubtype(annotation: number): number;
  _FPDFFormObj_CountObjects(form: number): number;
  _FPDFFormObj_GetObject(form: number, index: number): number;
  _FPDFTextObj_GetTextRenderMode(text: number): number;
  _FPDFPath_GetDrawMode(path: number, fillMode: number, isStroked: number): number;
  _FPDFPath_CountSegments(path: number): number;
}

type OpenPdfium = PdfiumModule & PdfiumFunctions;

/** Maps x to ax + cy + e, and y to bx + dy + f. */
export interface Matrix {
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly d: number;
  readonly e: number;
  readonly f: number;
}

const DOUBLE = 8;
const WORD = 4;
const SCRATCH_BYTES = 512;

/** Side of the virtual page to which positions are mapped. Large, because PDFium returns integer coordinates. */
const UNITS = 1_000_000;

/** Distance of the points that determine the mapping, in points. */
const STRETCH = 1_000;

/** A PDF file in PDFium. Keeps a copy of the file until `close`. */
export class PdfiumFile {
  /** Memory for the results of calls. */
  readonly scratch: number;
  private current: ScratchViews | undefined;
  /** Whether every call has returned. After an error, the state of PDFium is unknown. */
  private isIntact = true;
  /** The text of the page that is open; 0 if it is not loaded. */
  private textPage = 0;

  private constructor(
    readonly module: OpenPdfium,
    private readonly ownsModule: boolean,
    private readonly bytes: number,
    private readonly document: number,
  ) {
    this.scratch = module.wasmExports.malloc(SCRATCH_BYTES);
  }

  /**
   * @param module a module that outlives this object; by default, a new module
   * @returns null if PDFium cannot open the file
   */
  static async open(bytes: Uint8Array, module?: PdfiumModule): Promise<PdfiumFile | null> {
    const used = module === undefined ? await takePdfium() : withDirectCalls(module);
    const copy = used.wasmExports.malloc(bytes.length);
    used.HEAPU8.set(bytes, copy);
    const document = used._FPDF_LoadMemDocument(copy, bytes.length, 0);
    const file = new PdfiumFile(used, module === undefined, copy, document);
    if (document !== 0) return file;
    file.close();
    return null;
  }

  close(): void {
    if (this.document !== 0) this.module._FPDF_CloseDocument(this.document);
    this.module.wasmExports.free(this.scratch);
    this.module.wasmExports.free(this.bytes);
    if (this.ownsModule && this.isIntact) keepPdfium(this.module);
  }

  /** @param pageNumber 1-based. @returns undefined if the page cannot be opened */
  onPage<T>(pageNumber: number, work: (page: number) => T): T | undefined {
    const page = this.module._FPDF_LoadPage(this.document, pageNumber - 1);
    if (page === 0) return undefined;
    this.isIntact = false;
    this.textPage = 0;
    const result = work(page);
    if (this.textPage !== 0) this.module._FPDFText_ClosePage(this.textPage);
    this.textPage = 0;
    this.module._FPDF_ClosePage(page);
    this.isIntact = true;
    return result;
  }

  /** @param page the page of `onPage`. Its text is loaded once. @returns undefined if its text cannot be loaded */
  onTextOf<T>(page: number, work: (textPage: number) => T): T | undefined {
    if (this.textPage === 0) this.textPage = this.module._FPDFText_LoadPage(page);
    return this.textPage === 0 ? undefined : work(this.textPage);
  }

  /** Pointer to a 32-bit value of the scratch memory. */
  word(at: number): number {
    return this.scratch + at * WORD;
  }

  /** Pointer to a 64-bit value of the scratch memory. */
  double(at: number): number {
    return this.scratch + at * DOUBLE;
  }

  /** 32-bit results of the last call. Valid until the next call. */
  floats(): Float32Array {
    return this.views().floats;
  }

  doubles(): Float64Array {
    return this.views().doubles;
  }

  integers(): Int32Array {
    return this.views().integers;
  }

  /** Reads UTF-16LE from the scratch memory. */
  utf16(at: number, bytes: number): string {
    const start = this.scratch + at;
    return Buffer.from(this.module.HEAPU8.slice(start, start + bytes)).toString('utf16le');
  }

  /** Writes ASCII with a final NUL to the scratch memory. @returns its pointer */
  textAt(at: number, text: string): number {
    this.module.HEAPU8.set(Buffer.from(`${text}\0`, 'latin1'), this.scratch + at);
    return this.scratch + at;
  }

  /** Maps a page to the upright page, in fractions of its width and height from the top left. */
  uprightMatrix(page: number): Matrix {
    const at = (x: number, y: number): readonly [number, number] => {
      this.module._FPDF_PageToDevice(page, 0, 0, UNITS, UNITS, 0, x, y, this.word(0), this.word(1));
      const [left = 0, top = 0] = this.integers();
      return [left / UNITS, top / UNITS];
    };
    const [[e, f], [a, b], [c, d]] = [at(0, 0), at(STRETCH, 0), at(0, STRETCH)];
    return {
      a: (a - e) / STRETCH,
      b: (b - f) / STRETCH,
      c: (c - e) / STRETCH,
      d: (d - f) / STRETCH,
      e,
      f,
    };
  }

  /** New views whenever the heap has moved, because it moves when it grows. */
  private views(): ScratchViews {
    const { buffer } = this.module.HEAPU8;
    if (this.current?.floats.buffer !== buffer) {
      this.current = {
        floats: new Float32Array(buffer, this.scratch, SCRATCH_BYTES / WORD),
        integers: new Int32Array(buffer, this.scratch, SCRATCH_BYTES / WORD),
        doubles: new Float64Array(buffer, this.scratch, SCRATCH_BYTES / DOUBLE),
      };
    }
    return this.current;
  }
}

interface ScratchViews {
  readonly floats: Float32Array;
  readonly integers: Int32Array;
  readonly doubles: Float64Array;
}

/**
 * Calls the functions of PDFium directly. The functions of the package check every call, which takes longer than most of
 * the calls.
 */
function withDirectCalls(module: PdfiumModule): OpenPdfium {
  const calls = Object.entries(module.wasmExports).filter(([name]) => name.startsWith('FPDF'));
  return Object.assign(
    Object.create(module) as PdfiumModule & PdfiumFunctions,
    Object.fromEntries(calls.map(([name, call]) => [`_${name}`, call])),
  );
}

/** PDFium of a file that was closed. A new one costs more than a page, and its memory lives until garbage collection. */
let idle: OpenPdfium | undefined;

/** Maximum memory of a PDFium that is kept. */
const MAX_IDLE_BYTES = 64 * 1024 * 1024;

async function takePdfium(): Promise<OpenPdfium> {
  const kept = idle;
  idle = undefined;
  return kept ?? withDirectCalls(await startPdfium());
}

function keepPdfium(module: OpenPdfium): void {
  if (module.HEAPU8.length <= MAX_IDLE_BYTES) idle = module;
}

/** The types of Node.js lack WebAssembly. */
declare const WebAssembly: {
  compile(bytes: Uint8Array): Promise<object>;
  readonly Instance: new (code: object, imports: object) => object;
};

let compiled: Promise<object> | undefined;

/** Compiles PDFium once for all files of the process. This takes as long as reading ten pages. */
async function compilePdfium(): Promise<object> {
  const path = createRequire(import.meta.url).resolve('@hyzyla/pdfium/pdfium.wasm');
  return WebAssembly.compile(await readFile(path));
}

/** Starts PDFium with a memory of its own. */
export async function startPdfium(): Promise<PdfiumModule> {
  compiled ??= compilePdfium();
  const code = await compiled;
  const start = {
    instantiateWasm: (
      imports: object,
      done: (instance: object, code: object) => void,
    ): Record<string, never> => {
      done(new WebAssembly.Instance(code, imports), code);
      return {};
    },
  };
  const module = await PDFiumModule(start);
  module._FPDF_InitLibraryWithConfig({});
  return module;
}
