/** Whether all items of a list differ, in the sense of JSON: the order of the members of an object does not matter. */
export function areUnique(items: readonly unknown[]): boolean {
  const seen = new Set<string>();
  for (const item of items) {
    const key = JSON.stringify(item, (_name, value: unknown) => sorted(value));
    if (seen.has(key)) return false;
    seen.add(key);
  }
  return true;
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
