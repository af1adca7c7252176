import { coerceValue } from './coerce-value.js';
import { jsonKind } from './json-kind.js';
import type { Literal } from './literal.js';
import type { MetadataType } from './metadata-type.js';
import { parseIsoTime } from './temporal.js';

/** A date-time with seconds; what is shorter is more often a label than a time. */
const SHORTEST_DATETIME = 19;

/** The type of a value that nobody declared: its JSON type, and `datetime` for a string that is one. */
export function inferType(value: Literal): MetadataType {
  if (typeof value === 'string') {
    return value.length >= SHORTEST_DATETIME && parseIsoTime(value)?.kind === 'datetime'
      ? 'datetime'
      : 'string';
  }
  return jsonKind(value) ?? 'null';
}

/**
 * A value under the type its key has had so far; undefined when it does not fit. It fits where a declaration would
 * take it, except that only strings fit `string`: nearly everything could be written as one.
 */
export function keepType(
  value: Literal,
  type: MetadataType | undefined,
): { value: Literal; type: MetadataType } | undefined {
  if (type === undefined) return undefined;
  if (type === 'string' && value !== null && typeof value !== 'string') return undefined;
  const kept = coerceValue(value, type);
  return kept === undefined ? undefined : { value: kept, type };
}
