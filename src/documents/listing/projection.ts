import { setMember } from '../../json/json-object.js';

/** The parts of `value` that the dot paths name, at their places; a path that leads nowhere is left out. */
export function project(value: object, paths: readonly string[]): object {
  const result: Record<string, unknown> = {};
  for (const path of paths) copy(value, result, path.split('.'));
  return result;
}

function copy(source: object, target: Record<string, unknown>, path: readonly string[]): void {
  const found = find(source, path);
  if (found === undefined) return;
  let place = target;
  for (const key of path.slice(0, -1)) {
    const inner = Object.hasOwn(place, key) ? place[key] : undefined;
    const next = isPlainObject(inner) ? inner : {};
    if (next !== inner) setMember(place, key, next);
    place = next;
  }
  setMember(place, path.at(-1) ?? '', found.value);
}

function find(source: object, path: readonly string[]): { readonly value: unknown } | undefined {
  let value: unknown = source;
  for (const key of path) {
    if (!isPlainObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return { value };
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
