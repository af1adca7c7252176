import { isJsonObject } from '../../src/json/exact-json.js';

/**
 * Returns the values that a path reaches by MongoDB's rules; undefined for each branch without the field: an
 * object without the key, or a scalar before the end. An array passes the path on to its elements that are
 * objects, and a number in the path is also a position in an array.
 */
export function reached(value: unknown, path: readonly string[]): readonly unknown[] {
  const [key, ...rest] = path;
  if (key === undefined) return [value];
  if (isJsonObject(value)) return reached(Object.hasOwn(value, key) ? value[key] : undefined, rest);
  if (!Array.isArray(value)) return [undefined];
  const isPosition = /^(?:0|[1-9]\d{0,8})$/.test(key);
  const elements = value.filter(isJsonObject).filter((element) => !isPosition || Object.hasOwn(element, key));
  const through = elements.flatMap((element) => reached(element, path));
  return isPosition ? [...through, ...reached(value[Number(key)] as unknown, rest)] : through;
}
