import { isDateFormat } from 'numfmt';
import { element, elements, parseXml, readXml } from '../xml/xml-tree.js';
import type { Archive } from './archive.js';
import { relationshipsOf } from './office-open-xml.js';

export interface Sheet {
  readonly name: string;
  /** Texts of cells, each row as wide as the sheet; one row without cells stands for all blank ones in a row. */
  readonly rows: readonly (readonly string[])[];
  /** Number of the last row that holds something. */
  readonly rowCount: number;
}

/** Rows times columns up to which empty columns are kept: one cell in the far corner makes 17 thousand million. */
const MAX_PLACES = 8_000_000;

/** Formats of dates and times that a workbook need not define (ECMA-376 part 1, section 18.8.30). */
const BUILT_IN_DATES = new Set(
  [14, 15, 16, 17, 18, 19, 20, 21, 22, 45, 46, 47].concat(range(27, 36), range(50, 58), range(71, 81)),
);

/** Days from the beginning of the calendar of a workbook to 1970. */
const DAYS_SINCE_1900 = 25_569;
const DAYS_SINCE_1904 = 24_107;
const SECONDS_A_DAY = 86_400;

interface Workbook {
  readonly strings: readonly string[];
  /** By the style of a cell: whether its number is a date. */
  readonly areDates: readonly boolean[];
  readonly epochDays: number;
}

/**
 * The sheets of a workbook in its order (ECMA-376 part 1, section 18), read element by element: a million rows make no
 * tree. Formulas have the value that they had when the file was saved, dates are in ISO 8601, errors are empty.
 * @throws ParseFailure when a part is damaged or not well-formed.
 */
export async function sheetsOf(archive: Archive): Promise<Sheet[]> {
  const parts = new Map((await relationshipsOf(archive, 'xl/workbook.xml')).map((part) => [part.id, part]));
  const source = parseXml((await archive.text('xl/workbook.xml')) ?? '');
  const textOfType = async (wanted: string): Promise<string | undefined> => {
    const part = [...parts.values()].find(({ type }) => type === wanted);
    return part === undefined ? undefined : archive.text(part.target);
  };
  const is1904 = /^(?:1|true)$/.test(element(source, 'workbookPr')?.attributes['date1904'] ?? '');
  const workbook: Workbook = {
    strings: stringsOf(await textOfType('sharedStrings')),
    areDates: dateStyles(await textOfType('styles')),
    epochDays: is1904 ? DAYS_SINCE_1904 : DAYS_SINCE_1900,
  };
  const sheets: Sheet[] = [];
  for (const { attributes } of elements(element(source, 'sheets') ?? source, 'sheet')) {
    const [, id = ''] = Object.entries(attributes).find(([name]) => name.endsWith(':id')) ?? [];
    const part = parts.get(id);
    const text = part?.type === 'worksheet' ? await archive.text(part.target) : undefined;
    if (text !== undefined) sheets.push({ name: attributes['name'] ?? '', ...readSheet(text, workbook) });
  }
  return sheets;
}

/** Texts that cells share, by their number: all runs of one together, without how they are pronounced. */
function stringsOf(source = ''): string[] {
  const strings: string[] = [];
  if (source === '') return strings;
  let inText = false;
  let inPhonetic = false;
  readXml(source, {
    open(name) {
      if (name === 'si') strings.push('');
      inText = name === 't';
      if (name === 'rPh') inPhonetic = true;
    },
    text(content) {
      if (inText && !inPhonetic) strings.push((strings.pop() ?? '') + content);
    },
    close(name) {
      inText = false;
      if (name === 'rPh') inPhonetic = false;
    },
  });
  return strings.map(unescaped);
}

function dateStyles(source = ''): boolean[] {
  if (source === '') return [];
  const styles = parseXml(source);
  const codes = new Map(
    elements(element(styles, 'numFmts') ?? { name: '', attributes: {}, children: [] }, 'numFmt').map(
      ({ attributes }) => [Number(attributes['numFmtId']), attributes['formatCode'] ?? ''],
    ),
  );
  const formats = element(styles, 'cellXfs');
  return (formats === undefined ? [] : elements(formats, 'xf')).map(({ attributes }) => {
    const id = Number(attributes['numFmtId'] ?? 0);
    const code = codes.get(id);
    return code === undefined ? BUILT_IN_DATES.has(id) : isDateFormat(code);
  });
}

interface Cell {
  readonly column: number;
  readonly type: string;
  readonly style: number;
  text: string;
}

function readSheet(source: string, workbook: Workbook): Pick<Sheet, 'rows' | 'rowCount'> {
  const rows: string[][] = []; // with holes where no cells are
  const used = new Set<number>();
  let rowNumber = 0;
  let rowCount = 0;
  let row: string[] = [];
  let column = -1;
  let cell: Cell | undefined;
  let inText = false;
  readXml(source, {
    open(name, attributes) {
      if (name === 'row') {
        rowNumber = Number(attributes['r'] ?? rowNumber + 1);
        row = [];
        column = -1;
      } else if (name === 'c') {
        column = columnOf(attributes['r']) ?? column + 1;
        cell = { column, type: attributes['t'] ?? 'n', style: Number(attributes['s'] ?? -1), text: '' };
      }
      inText = cell !== undefined && (name === 'v' || name === 't');
    },
    text(content) {
      if (inText && cell !== undefined) cell.text += content;
    },
    close(name) {
      inText = false;
      if (name === 'c' && cell !== undefined) {
        const text = printed(cell, workbook).trim();
        if (text !== '') {
          row[cell.column] = text;
          used.add(cell.column);
        }
        cell = undefined;
      } else if (name === 'row' && row.length > 0) {
        if (rowNumber > rowCount + 1) rows.push([]);
        rows.push(row);
        rowCount = rowNumber;
      }
    },
  });
  const last = [...used].reduce((most, one) => Math.max(most, one + 1), 0);
  const columns =
    Math.max(rowCount, rows.length) * last > MAX_PLACES
      ? [...used].sort((a, b) => a - b)
      : range(0, last - 1);
  return { rows: rows.map((cells) => columns.map((at) => cells[at] ?? '')), rowCount };
}

function printed({ type, style, text }: Cell, { strings, areDates, epochDays }: Workbook): string {
  switch (type) {
    case 's':
      return strings[Number(text)] ?? '';
    case 'inlineStr':
    case 'str':
      return unescaped(text);
    case 'b':
      return text === '' ? '' : String(text === '1');
    case 'e':
      return '';
    case 'd':
      return isoDate(Date.parse(text) / (1_000 * SECONDS_A_DAY), 0) ?? text;
    default: {
      const number = Number(text);
      if (text === '' || Number.isNaN(number)) return text;
      const date = areDates[style] === true ? isoDate(number, epochDays) : undefined;
      return date ?? String(number);
    }
  }
}

/**
 * A day of a calendar, as text; without the time where there is none. undefined for what no calendar has.
 * @param epochDays from the beginning of the calendar to 1970
 */
export function isoDate(day: number, epochDays = DAYS_SINCE_1900): string | undefined {
  const date = new Date(Math.round((day - epochDays) * SECONDS_A_DAY) * 1_000);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString().replace(/T00:00:00\.000Z$/, '');
}

/** From 0, of a place such as `AB12`. */
function columnOf(place = ''): number | undefined {
  const letters = /^[A-Za-z]{1,3}/.exec(place)?.[0];
  if (letters === undefined) return undefined;
  let column = 0;
  for (const letter of letters.toUpperCase()) column = column * 26 + letter.charCodeAt(0) - 64;
  return column - 1;
}

/** Characters that XML cannot hold stand as `_xHHHH_` (ECMA-376 part 1, section 22.9.2.19). */
function unescaped(text: string): string {
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
}

function range(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}
