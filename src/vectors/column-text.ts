import { fromSql, toSql } from 'pgvector';
import { type ChunkContext, NO_CONTEXT } from '../lexical/chunk-context.js';
import { TERM_NUMBERS } from '../lexical/impacts.js';

const PLACES = 1e7;

/**
 * Formats a unit vector for storage as pgvector text. Printing integers is four times as fast as printing fractions, and
 * seven decimal places exceed the 11 significant bits of a halfvec.
 */
export function vectorText(vector: Float32Array): string {
  return `[${Array.from(vector, (x) => Math.round(x * PLACES)).join('e-7,')}e-7]`;
}

/** Formats a query vector, rounded like a stored one, so that a text is nearest to itself. */
export function queryVectorText(vector: Float32Array): string {
  return toSql(Array.from(vector, (x) => Math.round(x * PLACES) / PLACES)) as string;
}

/** Parses a vector from pgvector text. */
export function vectorOf(text: string): Float32Array {
  return Float32Array.from(fromSql(text) as number[]);
}

/** Formats numbers by 1-based index as the pgvector text of a sparse vector. */
export function sparseText(numbers: ReadonlyMap<number, number>): string {
  const elements = Array.from(numbers, ([index, value]) => `${index}:${value}`);
  return `{${elements.join(',')}}/${TERM_NUMBERS}`;
}

/** Encodes a context for the column `chunks.context`: JSON; empty: no context. */
export function storedContext(context: ChunkContext): string {
  const { title, headings, table } = context;
  const isEmpty = title === null && headings.length === 0 && table === null;
  return isEmpty ? '' : JSON.stringify({ title, headings, table });
}

/** Decodes the column `chunks.context`. */
export function readContext(stored: string): ChunkContext {
  return stored === '' ? NO_CONTEXT : (JSON.parse(stored) as ChunkContext);
}
