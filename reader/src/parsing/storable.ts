/** Replaces U+0000 and lone surrogates, which PostgreSQL cannot store, with U+FFFD. Offsets are preserved. */
export function storableText(text: string): string {
  return text.replace(/\0|\p{Surrogate}/gu, '\ufffd');
}

/** Maximum length of a file property. Limited, because every record of the document contains the properties. */
const MAX_PROPERTY_LENGTH = 4_000;

/** Returns the properties with storable strings, and without absent or empty values, at any depth. */
export function storableProperties(properties: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(properties)
      .map(([name, value]) => [storableText(name), storable(value)] as const)
      .filter(([, value]) => value !== undefined && value !== null && value !== ''),
  );
}

function storable(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value.slice(0, MAX_PROPERTY_LENGTH)).trim();
  if (Array.isArray(value)) return value.map(storable);
  if (typeof value === 'object' && value !== null)
    return storableProperties(value as Record<string, unknown>);
  return value;
}
