import { around, type PageRectangle } from './page-glyphs.js';
import type { PdfiumFile } from './pdfium-file.js';

/** Red, green, blue and alpha, 0 to 255. */
export type Colour = readonly [number, number, number, number];

/** An object of a page, in drawing order. */
export interface PageObject extends PageRectangle {
  /** PDFium's object. */
  readonly object: number;
  readonly kind: 'text' | 'path' | 'image' | 'shading';
  /** Fill colour, or the stroke colour of text that is only stroked. */
  readonly colour: Colour;
  /** Text without fill and stroke (text rendering modes 3 and 7), for example the text layer of a scan. */
  readonly isInvisible: boolean;
  /** A filled rectangle. */
  readonly isSolid: boolean;
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

/** Layout of a matrix: [a b c d e f]. */
type Matrix = readonly [number, number, number, number, number, number];
const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];

const OPTIONAL_CONTENT = 'OC';
const NAME_BYTES = 256;

/**
 * The objects of a page in drawing order, also those in forms.
 *
 * @param page a page that PDFium has opened
 */
export function objectsOf(file: PdfiumFile, page: number): PageObject[] {
  const { module } = file;
  const count = module._FPDFPage_CountObjects(page);
  const objects: PageObject[] = [];
  for (let index = 0; index < count; index += 1) {
    collect(file, page, module._FPDFPage_GetObject(page, index), IDENTITY, [], objects, 0);
  }
  return objects;
}

function collect(
  file: PdfiumFile,
  page: number,
  object: number,
  matrix: Matrix,
  layers: readonly string[],
  objects: PageObject[],
  depth: number,
): void {
  const { module } = file;
  const type = module._FPDFPageObj_GetType(object);
  const own = [...layers, ...layersOf(file, object)];
  if (type === FORM) {
    if (depth >= MAX_DEPTH) return;
    module._FPDFPageObj_GetMatrix(object, file.scratch);
    const inner = multiplied(file.floats(6) as unknown as Matrix, matrix);
    const count = module._FPDFFormObj_CountObjects(object);
    for (let index = 0; index < count; index += 1) {
      collect(file, page, module._FPDFFormObj_GetObject(object, index), inner, own, objects, depth + 1);
    }
    return;
  }
  const kind = KINDS[type];
  if (kind === undefined) return;
  const mode = kind === 'text' ? module._FPDFTextObj_GetTextRenderMode(object) : 0;
  objects.push({
    ...placeOf(file, page, object, matrix),
    object,
    kind,
    colour: colourOf(file, object, mode === STROKED),
    isInvisible: mode === INVISIBLE || mode === CLIPPING,
    isSolid: kind === 'path' && isFilledRectangle(file, object),
    layers: own,
  });
}

function placeOf(file: PdfiumFile, page: number, object: number, matrix: Matrix): PageRectangle {
  file.module._FPDFPageObj_GetBounds(object, file.word(0), file.word(1), file.word(2), file.word(3));
  const [left = 0, bottom = 0, right = 0, top = 0] = file.floats(4);
  const [a, b, c, d, e, f] = matrix;
  const corners = [
    [left, bottom],
    [right, bottom],
    [left, top],
    [right, top],
  ] as const;
  return around(
    corners.map(([x, y]) => {
      const [onLeft, onTop] = file.onUprightPage(page, a * x + c * y + e, b * x + d * y + f);
      return { left: onLeft, top: onTop, width: 0, height: 0 };
    }),
  );
}

function colourOf(file: PdfiumFile, object: number, isStroked: boolean): Colour {
  const { module } = file;
  const pointers = [file.word(0), file.word(1), file.word(2), file.word(3)] as const;
  const isKnown = isStroked
    ? module._FPDFPageObj_GetStrokeColor(object, ...pointers)
    : module._FPDFPageObj_GetFillColor(object, ...pointers);
  const [red = 0, green = 0, blue = 0, alpha = 0] = file.integers(4);
  return isKnown === 0 ? [0, 0, 0, 255] : [red, green, blue, alpha];
}

function isFilledRectangle(file: PdfiumFile, path: number): boolean {
  if (file.module._FPDFPath_CountSegments(path) > RECTANGLE_SEGMENTS) return false;
  file.module._FPDFPath_GetDrawMode(path, file.word(0), file.word(1));
  return file.integers(1)[0] !== 0;
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
  const bytes = isWritten ? (file.integers(NAME_BYTES / 4 + 1).at(-1) ?? 0) : 0;
  return file.utf16(0, Math.max(0, Math.min(bytes, NAME_BYTES) - 2));
}

/** The matrix that applies `first`, then `second`. */
function multiplied(first: Matrix, second: Matrix): Matrix {
  const [a, b, c, d, e, f] = first;
  const [g, h, i, j, k, l] = second;
  return [a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + l];
}
