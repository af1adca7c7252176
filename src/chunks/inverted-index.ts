import { hash32, type Impacts } from '../lexical/impacts.js';

/**
 * The inverted index is a GIN index over `chunks.terms`. A key combines the tenant (32 bits of its hash), the term (29
 * bits) and the level of the term's impact (2 bits). PostgreSQL stores each key once with a compressed posting list of
 * about three bytes per posting. A search can read the high-impact postings of a frequent term without the others.
 */

/** Minimum impact of each level. */
const LEVEL_FLOORS = [0, 0.45, 0.6, 0.7] as const;

export const LEVELS = LEVEL_FLOORS.length;

/** Maximum impact of each level: contribution to BM25 relative to the term's inverse document frequency. */
export const LEVEL_CEILINGS: readonly number[] = [...LEVEL_FLOORS.slice(1), 1];

/** Returns a function that computes the tenant's key for a term and a level, as a PostgreSQL bigint. */
export function keysFor(appId: string): (term: number, level: number) => bigint {
  const tenant = BigInt(hash32(appId)) << 32n;
  return (term, level) => BigInt.asIntN(64, tenant | BigInt((term - 1) * LEVELS + level));
}

/** Returns the index keys of a chunk's terms. */
export function indexKeys(appId: string, impacts: Impacts): bigint[] {
  const keyOf = keysFor(appId);
  return Array.from(impacts, ([term, impact]) => keyOf(term, levelOf(impact)));
}

function levelOf(impact: number): number {
  return LEVEL_FLOORS.findLastIndex((floor) => impact >= floor);
}
