import { printJson } from '../../json/exact-json.js';

/** Metadata as a model gives it. */
export type Found = Readonly<Record<string, unknown>>;

/** What was found: keys that nothing was found for are null or missing in an answer, and are left out. */
export function present(found: Found): Found {
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== null && value !== ''));
}

/** Of each key the first value that was found; lists are joined, without repetitions. */
export function firstFound(parts: readonly Found[]): Found {
  const merged = new Map<string, unknown>();
  for (const part of parts) {
    for (const [key, value] of Object.entries(present(part))) {
      const before = merged.get(key);
      if (Array.isArray(before) && Array.isArray(value)) merged.set(key, joined(before, value));
      else if (!merged.has(key)) merged.set(key, value);
    }
  }
  return Object.fromEntries(merged);
}

function joined(before: readonly unknown[], more: readonly unknown[]): unknown[] {
  const known = new Set(before.map((member) => printJson(member)));
  return [...before, ...more.filter((member) => !known.has(printJson(member)))];
}
