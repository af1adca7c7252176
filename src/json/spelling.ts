import { ExactNumber } from './exact-json.js';

/**
 * The one spelling in which names and values are compared: composed characters (Unicode Normalization Form C). Some
 * systems send `ü` as one character, others as `u` with a combining mark. Both look the same and mean the same.
 */
export function composed(text: string): string {
  return text.normalize('NFC');
}

/** Composes all strings and keys of a JSON value. Returns the same value if nothing changes. */
export function composedJson<T>(value: T): T {
  return composedPart(value) as T;
}

function composedPart(value: unknown): unknown {
  if (typeof value === 'string') return composed(value);
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return value;
  if (Array.isArray(value)) {
    const members = value.map(composedPart);
    return members.every((member, index) => member === value[index]) ? value : members;
  }
  const entries = Object.entries(value);
  const spelt = entries.map(([key, member]) => [composed(key), composedPart(member)] as const);
  const isSame = spelt.every(
    ([key, member], index) => key === entries[index]?.[0] && member === entries[index][1],
  );
  return isSame ? value : Object.fromEntries(spelt);
}
