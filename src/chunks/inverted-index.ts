import { hash32, type Impacts } from '../lexical/impacts.js';

/**
 * The inverted index is GIN over `chunks.terms`: for every term of a chunk a key of the tenant (32 bits of its hash), the
 * term (29 bits) and the level of its impact (2 bits). PostgreSQL keeps each key once, with a packed list of chunks: some
 * three bytes for a term in a chunk. So the chunks where a frequent word stands strongest can be read without the others.
 */

/** Least impact of each level. */
const LEVEL_FLOORS = [0, 0.45, 0.6, 0.7] as const;

export const LEVELS = LEVEL_FLOORS.length;

/** The most that a term of each level adds to BM25, as a share of its inverse document frequency. */
export const LEVEL_CEILINGS: readonly number[] = [...LEVEL_FLOORS.slice(1), 1];

/** Makes the keys of a tenant: of a term at a level, as PostgreSQL's bigint. */
export function keysFor(appId: string): (term: number, level: number) => bigint {
  const tenant = BigInt(hash32(appId)) << 32n;
  return (term, level) => BigInt.asIntN(64, tenant | BigInt((term - 1) * LEVELS + level));
}

/** The keys of a chunk's terms. */
export function indexKeys(appId: string, impacts: Impacts): bigint[] {
  const keyOf = keysFor(appId);
  return Array.from(impacts, ([term, impact]) => keyOf(term, levelOf(impact)));
}

function levelOf(impact: number): number {
  return LEVEL_FLOORS.findLastIndex((floor) => impact >= floor);
}
