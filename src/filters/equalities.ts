import { isJsonObject } from '../json/exact-json.js';
import { isReservedKey } from '../metadata/typed-metadata.js';

/**
 * Returns the metadata that a filter demands, if the filter is nothing but equalities of metadata with single values:
 * `{"audience": "public", "year": 2026}`.
 * @param filter a valid filter as JSON
 * @returns undefined for any other filter
 */
export function equalitiesIn(filter: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!isJsonObject(filter)) return undefined;
  const isPlain = Object.entries(filter).every(
    ([key, value]) =>
      !key.startsWith('$') &&
      !key.includes('.') &&
      !isReservedKey(key) &&
      value !== null &&
      (typeof value !== 'object' || isNumber(value)),
  );
  return isPlain ? filter : undefined;
}

/** Exact numbers of JSON are objects. */
function isNumber(value: object): boolean {
  return !Array.isArray(value) && !isJsonObject(value);
}
