interface ReadMetadata {
  /** The metadata; null if the text is empty or not a JSON object. */
  readonly value: Readonly<Record<string, unknown>> | null;
  readonly problem: 'properties.notJson' | null;
}

/** Reads metadata that a user types as JSON. */
export function readMetadata(text: string): ReadMetadata {
  if (text.trim() === '') return { value: null, problem: null };
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return { value: value as Readonly<Record<string, unknown>>, problem: null };
    }
  } catch {
    // not JSON: the problem is returned below
  }
  return { value: null, problem: 'properties.notJson' };
}
