import { strToU8, zipSync } from 'fflate';
import type { Archive } from './archive.js';
import { relationshipsOf } from './office-open-xml.js';

/**
 * Places of a sheet, empty ones included, up to which it is left as it is. The library behind the parser makes a list of
 * all of them up to the last row and column in use: 17 thousand million for one cell in the far corner.
 */
const MAX_PLACES = 8_000_000;

/**
 * The workbook as it is, or, where a sheet spreads few cells over many places, one whose sheets have no empty columns and
 * no rows without cells.
 */
export async function withoutGaps(archive: Archive, bytes: Uint8Array): Promise<Uint8Array> {
  const closed = new Map<string, string>();
  for (const { type, target } of await relationshipsOf(archive, 'xl/workbook.xml')) {
    const sheet = type === 'worksheet' ? await archive.text(target) : undefined;
    if (sheet === undefined) continue;
    const extent = extentOf(sheet);
    if (placesIn(extent) > MAX_PLACES) closed.set(target, closeGaps(sheet, extent));
  }
  if (closed.size === 0) return bytes;
  const parts: Record<string, Uint8Array> = {};
  for (const name of archive.names.filter((part) => /\.(?:xml|rels)$/i.test(part))) {
    parts[name] = strToU8(closed.get(name) ?? (await archive.text(name)) ?? '');
  }
  return zipSync(parts, { level: 0 });
}

/** The opening tag of a row or a cell (ECMA-376 part 1, sections 18.3.1.73 and 18.3.1.4): its name and what follows. */
const TAG = /<((?:[\w.-]+:)?(?:row|c))((?:\s+[\w.:-]+\s*=\s*(?:"[^"]*"|'[^']*'))*\s*\/?)>/g;

/** Where a row or a cell says that it stands. */
const REFERENCE = /\sr\s*=\s*["']([A-Za-z]*)(\d+)["']/;

/** Rows and columns that hold something, both counted from 1. */
interface Extent {
  readonly lastRow: number;
  readonly columns: ReadonlySet<number>;
}

function extentOf(sheet: string): Extent {
  const columns = new Set<number>();
  let lastRow = 0;
  let column = 0;
  for (const [, name = '', attributes = ''] of sheet.matchAll(TAG)) {
    if (isRow(name)) {
      lastRow = Number(REFERENCE.exec(attributes)?.[2] ?? lastRow + 1);
      column = 0;
    } else {
      column = columnOf(attributes, column);
      if (!isEmpty(attributes)) columns.add(column);
    }
  }
  return { lastRow, columns };
}

function placesIn({ lastRow, columns }: Extent): number {
  let last = 0;
  for (const column of columns) last = Math.max(last, column);
  return lastRow * last;
}

/** Numbers the rows that there are, and the columns in use, one after the other. */
function closeGaps(sheet: string, { columns }: Extent): string {
  const places = new Map([...columns].sort((a, b) => a - b).map((used, index) => [used, index + 1]));
  let row = 0;
  let column = 0;
  return sheet.replace(TAG, (_, name: string, attributes: string) => {
    column = isRow(name) ? 0 : columnOf(attributes, column);
    if (isEmpty(attributes)) return '';
    if (isRow(name)) return `<${name} r="${(row += 1)}">`;
    const place = `${lettersOf(places.get(column) ?? column)}${row}`;
    return `<${name}${attributes.replace(REFERENCE, '')} r="${place}">`;
  });
}

function isRow(name: string): boolean {
  return name.endsWith('row');
}

/** A tag that closes itself has no content: the row has no cells, the cell no value. */
function isEmpty(attributes: string): boolean {
  return attributes.endsWith('/');
}

/** 1 for A; a cell that does not say stands after the one before. */
function columnOf(attributes: string, before: number): number {
  const letters = REFERENCE.exec(attributes)?.[1];
  if (letters === undefined || letters === '') return before + 1;
  let column = 0;
  for (const letter of letters.toUpperCase()) column = column * 26 + letter.charCodeAt(0) - 64;
  return column;
}

function lettersOf(column: number): string {
  const rest = Math.floor((column - 1) / 26);
  return (rest > 0 ? lettersOf(rest) : '') + String.fromCharCode(65 + ((column - 1) % 26));
}
