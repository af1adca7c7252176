import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';
import { MAX_PATH_BYTES } from '../../src/filters/folders.js';
import { RefusedExport } from './format.js';

/** Text forms of the values of a row, by column. */
export type Row = Readonly<Record<string, string | null>>;

/** Outermost form of a JSON value, and the character with which its text begins. */
const OPENING = { object: '{', array: '[' } as const;

type Shape = keyof typeof OPENING | 'any';

/**
 * Shapes of the JSON columns whose rows move. A statement that expects an array fails for all tenants if one row has
 * something else, so a restore checks what the type of the column does not say. A spec compares this list with the
 * entities.
 */
const JSON_SHAPES: Readonly<Record<string, Readonly<Record<string, Shape>>>> = {
  answer_feedback: { evidence: 'object', search: 'object' },
  api_keys: { quotas: 'object' },
  chunks: { metadata: 'object' },
  conversations: { bound: 'object', metadata: 'object', response: 'object', search: 'object' },
  documents: {
    access: 'object',
    additional_metadata: 'object',
    folder_access: 'object',
    given_metadata: 'object',
    ingested_from: 'object',
    metadata: 'object',
    metadata_types: 'object',
    progress: 'object',
    storage_files: 'array',
    update_history: 'array',
  },
  file_attachments: { chunking: 'object' },
  file_batch_entries: { chunking: 'object', metadata: 'object' },
  folders: { access: 'object', claims: 'object', folder_access: 'object' },
  idempotency_keys: { response: 'any' },
  ingestion_jobs: { payload: 'object' },
  turns: { evidence: 'object', item: 'object' },
  vector_stores: { metadata: 'object' },
};

/** Columns that are restored empty: a key comes back, but a link that gives it away does not. */
const EMPTIED: Readonly<Record<string, readonly string[]>> = {
  api_keys: ['sign_in_hash', 'sign_in_expires_at'],
};

/** Returns the JSON columns of a table that {@link JSON_SHAPES} does not list. */
export function unlistedJsonColumns(table: string, columns: readonly ColumnMetadata[]): string[] {
  return columns
    .filter(({ type }) => type === 'json' || type === 'jsonb')
    .map(({ databaseName }) => databaseName)
    .filter((name) => JSON_SHAPES[table]?.[name] === undefined);
}

/**
 * Reads the lines of a section with rows.
 * @param payload one JSON array per line, with a text or null for each column
 * @throws RefusedExport for anything else, and if the number of lines is not `count`
 */
export function readRows(
  {
    table,
    columns,
    count,
  }: { readonly table: string; readonly columns: readonly string[]; readonly count: number },
  payload: Buffer,
): Row[] {
  const rows = payload
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => rowOf(table, columns, line));
  if (rows.length === count) return rows;
  throw new RefusedExport(`a section of ${table} has ${rows.length} rows and says ${count}`);
}

function rowOf(table: string, columns: readonly string[], line: string): Row {
  const values = parsed(line);
  if (!Array.isArray(values) || values.length !== columns.length || !values.every(isTextOrNull)) {
    throw new RefusedExport(
      `a row of ${table} does not have one text for each of its ${columns.length} columns`,
    );
  }
  const row = Object.fromEntries(
    columns.map((column, at) => {
      const isEmptied = EMPTIED[table]?.includes(column) === true;
      return [column, isEmptied ? null : shaped(table, column, values[at] ?? null)];
    }),
  );
  const path = table === 'folders' ? (row['path'] ?? '') : '';
  if (Buffer.byteLength(path) <= MAX_PATH_BYTES) return row;
  throw new RefusedExport(`a path of folders has more than ${MAX_PATH_BYTES} bytes`);
}

function shaped(table: string, column: string, text: string | null): string | null {
  const shape = JSON_SHAPES[table]?.[column] ?? 'any';
  if (text === null || shape === 'any' || text.trimStart().startsWith(OPENING[shape])) return text;
  throw new RefusedExport(`the column ${column} of a row of ${table} is not a JSON ${shape}`);
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === 'string';
}
