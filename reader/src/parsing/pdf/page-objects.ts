import type { PageRectangle } from './page-rectangle.js';
import type { Matrix, PdfiumFile } from './pdfium-file.js';

/** Red, green, blue and alpha, 0 to 255. */
export type Colour = readonly [number, number, number, number];

/** An object of a page, in drawing order. */
export interface PageObject extends PageRectangle {
  /** PDFium's object. */
  readonly object: number;
  /** A path is a filled rectangle. */
  readonly kind: 'text' | 'path' | 'image' | 'shading';
  /** Fill colour, or the stroke colour of text that is only stroked. */
  readonly colour: Colour;
  /** Text without fill and stroke (text rendering modes 3 and 7), for example the text layer of a scan. */
  readonly isInvisible: boolean;
  /** Names of the layers (optional content groups) of the object. */
  readonly layers: readonly string[];
}

/** Types of objects (fpdf_edit.h, FPDF_PAGEOBJ). */
const KINDS: Readonly<Record<number, PageObject['kind']>> = {
  1: 'text',
  2: 'path',
  3: 'image',
  4: 'shading',
};
const FORM = 5;

/** Maximum nesting of forms. */
const MAX_DEPTH = 20;

/** Text rendering modes (ISO 32000-2, table 104). */
const STROKED = 1;
const INVISIBLE = 3;
const CLIPPING = 7;

/** Number of segments of a rectangle, with a closing line. */
const RECTANGLE_SEGMENTS = 5;

const IDENTITY: Matrix = { a: 1, b: 0, c: 0, d: 1, e: 0, f: 0 };

const OPTIONAL_CONTENT = 'OC';
const NAME_BYTES = 256;

/** Minimum side of a rectangle that can cover text, as a share of the page. */
const MIN_SIDE = 0.003;

/**
 * The texts, pictures and filled rectangles of a page in drawing order, also those in forms. Other paths are left out.
 *
 * @param page a page that PDFium has opened
 * @param withLayers whether the layers of the objects are read
 */
export function objectsOf(file: PdfiumFile, page: number, withLayers = false): PageObject[] {
  const objects: PageObject[] = [];
  const reading: Reading = { file, upright: file.uprightMatrix(page), withLayers, objects };
  const count = file.module._FPDFPage_CountObjects(page);
  for (let index = 0; index < count; index += 1) {
    collect(reading, file.module._FPDFPage_GetObject(page, index), IDENTITY, NO_LAYERS, 0);
  }
  return objects;
}

interface Reading {
  readonly file: PdfiumFile;
  /** Maps units of the page to the upright page. */
  readonly upright: Matrix;
  readonly withLayers: boolean;
  readonly objects: PageObject[];
}

const NO_LAYERS: readonly string[] = [];
const OPAQUE = 255;
const BLACK: Colour = [0, 0, 0, OPAQUE];

function collect(
  reading: Reading,
  object: number,
  matrix: Matrix,
  layers: readonly string[],
  depth: number,
): void {
  const { file, objects } = reading;
  const { module } = file;
  const type = module._FPDFPageObj_GetType(object);
  const own = reading.withLayers ? [...layers, ...layersOf(file, object)] : layers;
  if (type === FORM) {
    if (depth >= MAX_DEPTH) return;
    module._FPDFPageObj_GetMatrix(object, file.scratch);
    const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = file.floats();
    const inner = multiplied({ a, b, c, d, e, f }, matrix);
    const count = module._FPDFFormObj_CountObjects(object);
    for (let index = 0; index < count; index += 1) {
      collect(reading, module._FPDFFormObj_GetObject(object, index), inner, own, depth + 1);
    }
    return;
  }
  const kind = KINDS[type];
  if (kind === undefined || (kind === 'path' && !isFilledRectangle(file, object))) return;
  const mode = kind === 'text' ? module._FPDFTextObj_GetTextRenderMode(object) : 0;
  const colour = kind === 'text' || kind === 'path' ? colourOf(file, object, mode === STROKED) : BLACK;
  const isInvisible = mode === INVISIBLE || mode === CLIPPING;
  const drawn = new DrawnObject(reading, object, matrix, kind, colour, isInvisible, own);
  if (kind !== 'path' || (drawn.width >= MIN_SIDE && drawn.height >= MIN_SIDE)) objects.push(drawn);
}

/** Reads its place when it is asked for. The page must be open. */
class DrawnObject implements PageObject {
  private place: PageRectangle | undefined;

  constructor(
    private readonly reading: Reading,
    readonly object: number,
    private readonly matrix: Matrix,
    readonly kind: PageObject['kind'],
    readonly colour: Colour,
    readonly isInvisible: boolean,
    readonly layers: readonly string[],
  ) {}

  get left(): number {
    return this.rectangle().left;
  }

  get top(): number {
    return this.rectangle().top;
  }

  get width(): number {
    return this.rectangle().width;
  }

  get height(): number {
    return this.rectangle().height;
  }

  private rectangle(): PageRectangle {
    this.place ??= placeOf(this.reading, this.object, this.matrix);
    return this.place;
  }
}

/** Written without iterators and temporary arrays, because a page may have thousands of objects. */
function placeOf({ file, upright }: Reading, object: number, matrix: Matrix): PageRectangle {
  file.module._FPDFPageObj_GetBounds(object, file.word(0), file.word(1), file.word(2), file.word(3));
  const bounds = file.floats();
  const [left, bottom, right, top] = [bounds[0] ?? 0, bounds[1] ?? 0, bounds[2] ?? 0, bounds[3] ?? 0];
  const { a, b, c, d, e, f } = matrix === IDENTITY ? upright : multiplied(matrix, upright);
  const [x, y] = [a * left + c * bottom + e, b * left + d * bottom + f];
  const [acrossX, acrossY] = [a * (right - left), b * (right - left)];
  const [upX, upY] = [c * (top - bottom), d * (top - bottom)];
  return {
    left: x + Math.min(0, acrossX) + Math.min(0, upX),
    top: y + Math.min(0, acrossY) + Math.min(0, upY),
    width: Math.abs(acrossX) + Math.abs(upX),
    height: Math.abs(acrossY) + Math.abs(upY),
  };
}

function colourOf(file: PdfiumFile, object: number, isStroked: boolean): Colour {
  const { module } = file;
  const [first, second, third, fourth] = [file.word(0), file.word(1), file.word(2), file.word(3)];
  const isKnown = isStroked
    ? module._FPDFPageObj_GetStrokeColor(object, first, second, third, fourth)
    : module._FPDFPageObj_GetFillColor(object, first, second, third, fourth);
  const channels = file.integers();
  const [red, green, blue, alpha] = [channels[0] ?? 0, channels[1] ?? 0, channels[2] ?? 0, channels[3] ?? 0];
  const isBlack = isKnown === 0 || (red + green + blue === 0 && alpha === OPAQUE);
  return isBlack ? BLACK : [red, green, blue, alpha];
}

function isFilledRectangle(file: PdfiumFile, path: number): boolean {
  if (file.module._FPDFPath_CountSegments(path) > RECTANGLE_SEGMENTS) return false;
  file.module._FPDFPath_GetDrawMode(path, file.word(0), file.word(1));
  return file.integers()[0] !== 0;
}

function layersOf(file: PdfiumFile, object: number): string[] {
  const { module } = file;
  const count = module._FPDFPageObj_CountMarks(object);
  const layers: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const mark = module._FPDFPageObj_GetMark(object, index);
    const name = stringOf(file, (buffer, length) =>
      module._FPDFPageObjMark_GetName(mark, buffer, NAME_BYTES, length),
    );
    if (name !== OPTIONAL_CONTENT) continue;
    const key = file.textAt(NAME_BYTES + 8, 'Name');
    layers.push(
      stringOf(file, (buffer, length) =>
        module._FPDFPageObjMark_GetParamStringValue(mark, key, buffer, NAME_BYTES, length),
      ),
    );
  }
  return layers;
}

/** Reads a string that PDFium writes as UTF-16LE. */
function stringOf(file: PdfiumFile, write: (buffer: number, length: number) => number): string {
  const isWritten = write(file.scratch, file.scratch + NAME_BYTES) !== 0;
  const bytes = isWritten ? (file.integers()[NAME_BYTES / 4] ?? 0) : 0;
  return file.utf16(0, Math.max(0, Math.min(bytes, NAME_BYTES) - 2));
}

/** The matrix that applies `first`, then `second`. */
function multiplied(first: Matrix, second: Matrix): Matrix {
  return {
    a: first.a * second.a + first.b * second.c,
    b: first.a * second.b + first.b * second.d,
    c: first.c * second.a + first.d * second.c,
    d: first.c * second.b + first.d * second.d,
    e: first.e * second.a + first.f * second.c + second.e,
    f: first.e * second.b + first.f * second.d + second.f,
  };
}
