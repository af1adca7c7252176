/** The parts of `value` that the dot paths name, at their places; a path that leads nowhere is left out. */
export function project(value: object, paths: readonly string[]): object {
  const result: Record<string, unknown> = {};
  for (const path of paths) copy(value, result, path.split('.'));
  return result;
}

function copy(source: object, target: Record<string, unknown>, [key, ...rest]: readonly string[]): void {
  if (key === undefined || !Object.hasOwn(source, key)) return;
  const value = (source as Record<string, unknown>)[key];
  if (rest.length === 0) {
    define(target, key, value);
  } else if (isPlainObject(value)) {
    const inner = Object.hasOwn(target, key) && isPlainObject(target[key]) ? target[key] : {};
    define(target, key, inner);
    copy(value, inner, rest);
  }
}

/** Keys come from callers: `__proto__` is an ordinary one. */
function define(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
