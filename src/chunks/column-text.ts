import { fromSql, toSql } from 'pgvector';
import { type ChunkContext, CELLS, NO_CONTEXT } from '../lexical/chunk-context.js';
import { TERM_NUMBERS } from '../lexical/impacts.js';

const PLACES = 1e7;

/**
 * A unit vector to be stored, as pgvector reads it, without white space. Whole numbers are printed four times as fast as
 * fractions, and seven places are more than the 11 bits of a halfvec keep.
 */
export function vectorText(vector: Float32Array): string {
  return `[${Array.from(vector, (x) => Math.round(x * PLACES)).join('e-7,')}e-7]`;
}

/** The vector of a query, with the digits that it would be stored with: a text is nearest to itself. */
export function queryVectorText(vector: Float32Array): string {
  return toSql(Array.from(vector, (x) => Math.round(x * PLACES) / PLACES)) as string;
}

/** A vector as pgvector prints it. */
export function vectorOf(text: string): Float32Array {
  return Float32Array.from(fromSql(text) as number[]);
}

/** Numbers by their index, from 1 on, as pgvector reads a sparse vector, without white space. */
export function sparseText(numbers: ReadonlyMap<number, number>): string {
  const elements = Array.from(numbers, ([index, value]) => `${index}:${value}`);
  return `{${elements.join(',')}}/${TERM_NUMBERS}`;
}

/** Every stored context begins like this, but for the lines of earlier versions and for none at all. */
const STORED = '{"title":';

/** A context as the column `chunks.context` has it: JSON; empty for none. */
export function storedContext(context: ChunkContext): string {
  const { title, headings, table } = context;
  const isEmpty = title === null && headings.length === 0 && table === null;
  return isEmpty ? '' : JSON.stringify({ title, headings, table });
}

/**
 * The context that a row has. Earlier versions stored the printed lines: those are read too, since writing all chunks
 * again would build their vector index anew.
 */
export function readContext(stored: string): ChunkContext {
  if (stored === '') return NO_CONTEXT;
  return stored.startsWith(STORED) ? (JSON.parse(stored) as ChunkContext) : readLines(stored.split('\n'));
}

function readLines(lines: readonly string[]): ChunkContext {
  const rows = lines.filter((line) => line.startsWith('| ')).map((line) => line.slice(2));
  const header = rows.at(-1)?.split(CELLS) ?? [];
  return {
    title: lines.find((line) => !/^(?:#+ |\|)/.test(line)) ?? null,
    headings: lines.flatMap((line) => {
      const [, hashes, text] = /^(#+) (.*)$/.exec(line) ?? [];
      return hashes === undefined || text === undefined ? [] : [{ level: hashes.length, text }];
    }),
    table:
      rows.length === 0
        ? null
        : header.length > 1
          ? { caption: rows.slice(0, -1), header }
          : { caption: rows, header: [] },
  };
}
