import { descendants, element, elements, parseXml, readXml } from '../xml/xml-tree.js';
import type { Archive } from './archive.js';
import { cellFormat, dayOf, formatCode, generalNumber, isoDate, type CellFormat } from './cell-format.js';
import { columnOf } from './cell-place.js';
import { type ColumnSpan, fillMerged, type MergedRange } from './merged-cells.js';
import { relationshipsOf } from './office-open-xml.js';
import { RichTextReader } from './rich-text-reader.js';
import { annotationsOf, CellTexts } from './sheet-annotations.js';

export interface Sheet {
  readonly name: string;
  /** Whether the sheet is hidden, including "very hidden". */
  readonly isHidden: boolean;
  /**
   * Cell texts. Rows are padded to the width of the sheet. One empty row replaces any number of consecutive blank rows.
   */
  readonly rows: readonly (readonly string[])[];
  /** Cells that are merged across columns, by index of their first row in `rows`. */
  readonly spans: ReadonlyMap<number, readonly ColumnSpan[]>;
  /** Number of the last row with content. */
  readonly rowCount: number;
  /** Numbers of hidden rows and columns with content; their cells are in `rows`. */
  readonly hiddenRows: number;
  readonly hiddenColumns: number;
  /** Comments and text boxes as Markdown blocks. */
  readonly annotations: readonly string[];
}

/**
 * Maximum number of cells of a sheet, including its empty columns. A larger sheet is read without empty columns,
 * because a single cell in the last row and column would create 17 billion cells.
 */
const MAX_PLACES = 8_000_000;

/** State shared by the sheets of a workbook. */
interface Workbook {
  readonly strings: readonly string[];
  readonly styles: readonly CellStyle[];
  readonly is1904: boolean;
}

interface CellStyle extends CellFormat {
  /** Whether its cells show a check box instead of TRUE or FALSE. */
  readonly isCheckBox: boolean;
}

/**
 * Reads the sheets of a workbook in order (ECMA-376 part 1, section 18) as a stream, because a tree of a million rows
 * is too large. Cells have their displayed text; formulas have their saved value.
 *
 * @throws ParseFailure if a part is damaged or not well-formed.
 */
export async function sheetsOf(archive: Archive): Promise<Sheet[]> {
  const parts = new Map((await relationshipsOf(archive, 'xl/workbook.xml')).map((part) => [part.id, part]));
  const source = parseXml((await archive.text('xl/workbook.xml')) ?? '');
  const textOfType = async (wanted: string): Promise<string | undefined> => {
    const part = [...parts.values()].find(({ type }) => type === wanted);
    return part === undefined ? undefined : archive.text(part.target);
  };
  const is1904 = isOn(element(source, 'workbookPr')?.attributes['date1904']);
  const workbook: Workbook = {
    strings: stringsOf(await textOfType('sharedStrings')),
    styles: stylesOf(await textOfType('styles'), is1904),
    is1904,
  };
  const sheets: Sheet[] = [];
  for (const { attributes } of elements(element(source, 'sheets') ?? source, 'sheet')) {
    const [, id = ''] = Object.entries(attributes).find(([name]) => name.endsWith(':id')) ?? [];
    const part = parts.get(id);
    const text = part?.type === 'worksheet' ? await archive.text(part.target) : undefined;
    if (part === undefined || text === undefined) continue;
    const { cells, controls, ...sheet } = readSheet(text, workbook);
    sheets.push({
      name: attributes['name'] ?? '',
      isHidden: /^(?:very)?hidden$/i.test(attributes['state'] ?? ''),
      ...sheet,
      annotations: await annotationsOf(archive, part.target, cells, controls),
    });
  }
  return sheets;
}

function isOn(value = ''): boolean {
  return /^(?:1|true|on)$/.test(value);
}

/** Shared strings by index, without phonetic text. */
function stringsOf(source = ''): string[] {
  const strings: string[] = [];
  if (source === '') return strings;
  const reader = new RichTextReader();
  readXml(source, {
    open(name, attributes) {
      if (name === 'si') reader.begin();
      reader.open(name, attributes);
    },
    text(content) {
      reader.text(content);
    },
    close(name) {
      reader.close(name);
      if (name === 'si') strings.push(unescaped(reader.toString()));
    },
  });
  return strings;
}

function stylesOf(source: string | undefined, is1904: boolean): CellStyle[] {
  if (source === undefined) return [];
  const styles = parseXml(source);
  const codes = new Map(
    elements(element(styles, 'numFmts') ?? { name: '', attributes: {}, children: [] }, 'numFmt').map(
      ({ attributes }) => [Number(attributes['numFmtId']), attributes['formatCode'] ?? ''],
    ),
  );
  const formats = new Map<string, CellFormat>();
  const formatOf = (code: string): CellFormat => {
    const known = formats.get(code) ?? cellFormat(code, is1904);
    formats.set(code, known);
    return known;
  };
  const found = element(styles, 'cellXfs');
  return (found === undefined ? [] : elements(found, 'xf')).map((style) => ({
    ...formatOf(formatCode(Number(style.attributes['numFmtId'] ?? 0), codes)),
    isCheckBox: descendants(style, 'xfComplement').length > 0,
  }));
}

interface Cell {
  readonly column: number;
  readonly type: string;
  readonly style: CellStyle | undefined;
  value: string;
  formula: string;
}

type ReadSheet = Pick<Sheet, 'rows' | 'spans' | 'rowCount' | 'hiddenRows' | 'hiddenColumns'> & {
  readonly cells: CellTexts;
  /** Relationships of form controls by shape id. */
  readonly controls: ReadonlyMap<string, string>;
};

function readSheet(source: string, workbook: Workbook): ReadSheet {
  const rows: string[][] = []; // sparse: rows without cells have no entry
  const rowNumbers: number[] = []; // 0-based
  const used = new Set<number>();
  const merged: MergedRange[] = [];
  const hidden: { first: number; last: number }[] = []; // columns
  const controls = new Map<string, string>();
  const inline = new RichTextReader();
  let [rowNumber, rowCount, hiddenRows] = [0, 0, 0];
  let isRowHidden = false;
  let row: string[] = [];
  let column = -1;
  let cell: Cell | undefined;
  let inside = '';
  readXml(source, {
    open(name, attributes) {
      if (name === 'c') {
        column = columnOf(attributes['r']) ?? column + 1;
        const style = workbook.styles[Number(attributes['s'] ?? -1)];
        cell = { column, type: attributes['t'] ?? 'n', style, value: '', formula: '' };
        if (cell.type === 'inlineStr') inline.begin();
      } else if (name === 'row') {
        rowNumber = Number(attributes['r'] ?? rowNumber + 1);
        isRowHidden = isOn(attributes['hidden']);
        row = [];
        column = -1;
      } else if (name === 'mergeCell') merged.push(...rangesOf(attributes['ref']));
      else if (name === 'col' && isOn(attributes['hidden']))
        hidden.push({ first: Number(attributes['min']) - 1, last: Number(attributes['max']) - 1 });
      else if (name === 'control') controls.set(attributes['shapeId'] ?? '', attributes['r:id'] ?? '');
      inside = name;
      if (cell?.type === 'inlineStr') inline.open(name, attributes);
    },
    text(content) {
      if (cell === undefined) return;
      if (inside === 'v') cell.value += content;
      else if (inside === 'f') cell.formula += content;
      else if (cell.type === 'inlineStr') inline.text(content);
    },
    close(name) {
      inside = '';
      if (cell?.type === 'inlineStr') inline.close(name);
      if (name === 'c' && cell !== undefined) {
        if (cell.type === 'inlineStr') cell.value = inline.toString();
        const text = shown(cell, workbook).trim();
        if (text !== '') {
          row[cell.column] = text;
          used.add(cell.column);
        }
        cell = undefined;
      } else if (name === 'row' && row.length > 0) {
        if (rowNumber > rowCount + 1) {
          rows.push([]);
          rowNumbers.push(rowCount);
        }
        rows.push(row);
        rowNumbers.push(rowNumber - 1);
        rowCount = rowNumber;
        if (isRowHidden) hiddenRows += 1;
      }
    },
  });
  fillMerged(rows, rowNumbers, merged);
  const columns = [...used].sort((a, b) => a - b);
  const last = (columns.at(-1) ?? -1) + 1;
  const kept = Math.max(rowCount, rows.length) * last > MAX_PLACES ? columns : range(0, last - 1);
  return {
    rows: rows.map((cells) => kept.map((at) => cells[at] ?? '')),
    spans: spansByRow(merged, rowNumbers, kept),
    rowCount,
    hiddenRows,
    hiddenColumns: columns.filter((at) => hidden.some(({ first, last: end }) => at >= first && at <= end))
      .length,
    cells: new CellTexts(rows, rowNumbers),
    controls,
  };
}

/** Returns the displayed text of a cell; the formula itself if it has no saved value. */
function shown({ type, style, value, formula }: Cell, { strings, is1904 }: Workbook): string {
  if (value === '' && type === 'n') return formula === '' ? '' : `=${formula}`;
  switch (type) {
    case 's':
      return textOfCell(strings[Number(value)] ?? '', style);
    case 'inlineStr':
    case 'str':
      return textOfCell(unescaped(value), style);
    case 'b':
      if (value === '') return '';
      if (style?.isCheckBox === true) return value === '1' ? '[x]' : '[ ]';
      return value === '1' ? 'TRUE' : 'FALSE';
    case 'e':
      return value;
    case 'd': {
      const day = dayOf(value, is1904);
      if (day === undefined) return value;
      const text = style?.number(day) ?? '';
      return text === '' || text === generalNumber(day) ? (isoDate(dayOf(value, false) ?? 0) ?? value) : text;
    }
    default: {
      const number = Number(value);
      if (!Number.isFinite(number)) return value;
      return style?.number(number) ?? generalNumber(number);
    }
  }
}

function textOfCell(text: string, style: CellStyle | undefined): string {
  return style === undefined || text === '' ? text : style.text(text);
}

/** Returns the range of a reference such as `A2:A5`; an empty list for single cells and invalid references. */
function rangesOf(reference = ''): MergedRange[] {
  const [, first, top, last, bottom] =
    /^([A-Za-z]{1,3})(\d{1,7}):([A-Za-z]{1,3})(\d{1,7})$/.exec(reference) ?? [];
  const left = columnOf(first);
  if (left === undefined) return [];
  return [{ left, right: columnOf(last) ?? left, top: Number(top) - 1, bottom: Number(bottom) - 1 }];
}

/** @param columns columns of the sheet that are kept, in order */
function spansByRow(
  merged: readonly MergedRange[],
  rowNumbers: readonly number[],
  columns: readonly number[],
): Map<number, ColumnSpan[]> {
  const spans = new Map<number, ColumnSpan[]>();
  const indexes = new Map(rowNumbers.map((number, index) => [number, index]));
  const places = new Map(columns.map((column, place) => [column, place]));
  for (const { top, left, right } of merged) {
    const index = indexes.get(top);
    const [from, to] = [places.get(left), places.get(right) ?? places.get(left)];
    if (index === undefined || from === undefined || to === undefined || to <= from) continue;
    spans.set(index, [...(spans.get(index) ?? []), { left: from, right: to }]);
  }
  return spans;
}

/** Decodes `_xHHHH_`, the escape of characters that XML cannot contain (ECMA-376 part 1, section 22.9.2.19). */
function unescaped(text: string): string {
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
}

function range(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}
