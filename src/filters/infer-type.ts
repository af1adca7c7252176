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
 * A value under the type its key has had so far; undefined when it does not fit. Fitting is stricter than coercion:
 * nobody asked for this type in this request, so a number does not become a string.
 */
export function keepType(
  value: Literal,
  type: MetadataType | undefined,
): { value: Literal; type: MetadataType } | undefined {
  if (type === undefined) return undefined;
  const isStoredAsString = type === 'decimal' || type === 'date' || type === 'datetime';
  if (value !== null && !isStoredAsString && jsonKind(value) !== type) return undefined;
  const kept = coerceValue(value, type);
  return kept === undefined ? undefined : { value: kept, type };
}
