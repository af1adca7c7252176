import type { PDFPageProxy } from 'pdfjs-dist';
import type { TextRun } from './layout/segments.js';

/** Font size of a value as a share of the height of a single-line field, and the bounds of the font size in points. */
const SIZE_PER_HEIGHT = 0.7;
const MIN_SIZE = 6;
const MAX_SIZE = 12;

/** Distance from the bottom of a line to its baseline, in font sizes. */
const DESCENT = 0.25;

/** Line step of a multi-line field, in font sizes. */
const LINE_HEIGHT = 1.2;

/** A value and its rectangle on the page: left, bottom, right, top. */
interface PlacedValue {
  readonly text: string;
  readonly rect: readonly [number, number, number, number];
}

/**
 * Reads the values of the form fields and the free text of a page. Viewers show these values, but the text layer does
 * not contain them. Omits hidden fields and passwords.
 * @param hasFields whether the file has a form. With a form, the page is read with the intent `display`, which includes
 * fields that are not printed. This intent also extracts the text below every link, which doubles the cost of a page.
 * Without a form, the page is read with the intent `print`.
 */
export async function formValuesOf(page: PDFPageProxy, hasFields: boolean): Promise<TextRun[]> {
  const annotations = (await page.getAnnotations({ intent: hasFields ? 'display' : 'print' })) as Record<
    string,
    unknown
  >[];
  return annotations.flatMap((annotation) => {
    const text = isVisible(annotation) ? valueOf(annotation) : '';
    const rect = rectOf(annotation['rect']);
    return text === '' || rect === undefined ? [] : runsIn({ text, rect: upright(rect, page.rotate) });
  });
}

/** The flags Hidden and NoView of an annotation (ISO 32000-2, table 167). */
const INVISIBLE = 0b100010;

function isVisible({ annotationFlags }: Record<string, unknown>): boolean {
  return (Number(annotationFlags) & INVISIBLE) === 0;
}

function valueOf(annotation: Record<string, unknown>): string {
  if (annotation['subtype'] === 'FreeText') {
    const contents = annotation['contentsObj'] as { readonly str?: unknown } | undefined;
    return textOf(contents?.str);
  }
  if (annotation['subtype'] !== 'Widget' || annotation['password'] === true) return '';
  switch (annotation['fieldType']) {
    case 'Tx':
      return textOf(annotation['fieldValue']);
    case 'Ch':
      return chosen(annotation);
    case 'Btn':
      return mark(annotation);
    default:
      return '';
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

/** Returns the labels of the chosen options. A value without an option was typed, and is returned unchanged. */
function chosen({ fieldValue, options }: Record<string, unknown>): string {
  const values: readonly unknown[] = Array.isArray(fieldValue) ? fieldValue : [fieldValue];
  const known = (Array.isArray(options) ? options : []) as readonly {
    readonly exportValue?: unknown;
    readonly displayValue?: unknown;
  }[];
  return values
    .map((value) => known.find(({ exportValue }) => exportValue === value)?.displayValue ?? value)
    .map(textOf)
    .filter((label) => label !== '')
    .join(', ');
}

/** Returns the mark of a check box or a radio button. Other buttons have no value. */
function mark({
  checkBox,
  radioButton,
  fieldValue,
  exportValue,
  buttonValue,
}: Record<string, unknown>): string {
  if (checkBox === true) return isOn(fieldValue, exportValue) ? '[x]' : '[ ]';
  if (radioButton === true) return isOn(fieldValue, buttonValue) ? '[x]' : '[ ]';
  return '';
}

/** @param on value that switches this button on; not a string if the button has no appearance */
function isOn(value: unknown, on: unknown): boolean {
  return textOf(value) !== '' && value !== 'Off' && (typeof on !== 'string' || value === on);
}

function rectOf(rect: unknown): PlacedValue['rect'] | undefined {
  if (!Array.isArray(rect)) return undefined;
  const [left, bottom, right, top] = rect.map(Number);
  if (left === undefined || bottom === undefined || right === undefined || top === undefined)
    return undefined;
  return [left, bottom, right, top].every(Number.isFinite) ? [left, bottom, right, top] : undefined;
}

/** Turns a rectangle like the page, by multiples of 90 degrees clockwise around the origin. */
function upright([left, bottom, right, top]: PlacedValue['rect'], rotation: number): PlacedValue['rect'] {
  switch (rotation) {
    case 90:
      return [bottom, -right, top, -left];
    case 180:
      return [-right, -top, -left, -bottom];
    case 270:
      return [-top, left, -bottom, right];
    default:
      return [left, bottom, right, top];
  }
}

function runsIn({ text, rect: [left, bottom, right, top] }: PlacedValue): TextRun[] {
  const lines = text.split(/\r\n?|\n/);
  const height = top - bottom;
  const size = Math.min(MAX_SIZE, Math.max(MIN_SIZE, (height / lines.length) * SIZE_PER_HEIGHT));
  const first =
    lines.length === 1 && height < 2 * MAX_SIZE * LINE_HEIGHT
      ? bottom + (height - size) / 2 + size * DESCENT
      : top - size;
  return lines.map((str, index) => ({
    str,
    x: left,
    y: first - index * size * LINE_HEIGHT,
    width: right - left,
    size,
  }));
}
