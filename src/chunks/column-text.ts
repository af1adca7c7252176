import { TERM_NUMBERS } from '../lexical/impacts.js';
import { fromSql, toSql } from 'pgvector';

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
