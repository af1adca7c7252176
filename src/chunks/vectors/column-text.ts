import { fromSql } from 'pgvector';
import { type ChunkContext, NO_CONTEXT } from '#reader';
import { TERM_NUMBERS } from '../../lexical/inverted-index.js';

const PLACES = 1e7;

/**
 * Formats a unit vector as pgvector text, for a column or a query. Prints the numbers as integers with an exponent,
 * which is four times as fast as fractions. Seven decimal places are enough: they are more precise than the 11
 * significant bits of a halfvec.
 */
export function vectorText(vector: Float32Array): string {
  return `[${Array.from(vector, (x) => Math.round(x * PLACES)).join('e-7,')}e-7]`;
}

/** Parses a vector from pgvector text. */
export function vectorOf(text: string): Float32Array {
  return Float32Array.from(fromSql(text) as number[]);
}

/** Formats a sparse vector as pgvector text. The keys are 1-based indexes. */
export function sparseText(numbers: ReadonlyMap<number, number>): string {
  const elements = Array.from(numbers, ([index, value]) => `${index}:${value}`);
  return `{${elements.join(',')}}/${TERM_NUMBERS}`;
}

/** Encodes a context as JSON for the column `chunks.context`. An empty context becomes an empty text. */
export function storedContext(context: ChunkContext): string {
  const { title, headings, table } = context;
  const isEmpty = title === null && headings.length === 0 && table === null;
  return isEmpty ? '' : JSON.stringify({ title, headings, table });
}

/** Decodes the column `chunks.context`. */
export function readContext(stored: string): ChunkContext {
  return stored === '' ? NO_CONTEXT : (JSON.parse(stored) as ChunkContext);
}
