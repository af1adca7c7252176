import { composed, composedJson } from '../json/spelling.js';

type Metadata = Readonly<Record<string, unknown>>;

/** A file name in its normalised spelling, which comparisons use, and as the caller gave it. */
interface SpeltName {
  readonly filename: string | null;
  /** null if the two are the same. */
  readonly givenFilename: string | null;
}

/**
 * Metadata in the normalised spelling, which comparisons use, and by key the values that the caller spelt differently.
 */
interface SpeltMetadata {
  readonly metadata: Metadata;
  readonly givenMetadata: Metadata;
}

/**
 * Names and values have one spelling in the columns that filters, searches and indexes read. What was given is kept
 * beside it, if it differs, and is shown. Keys are identifiers, which have only the one spelling.
 */
export function speltName(given: string | null): SpeltName {
  const filename = given === null ? null : composed(given);
  return { filename, givenFilename: filename === given ? null : given };
}

export function speltMetadata(given: Metadata): SpeltMetadata {
  const metadata = composedJson(given);
  const others = Object.entries(given)
    .map(([key, value]) => [composed(key), value] as const)
    .filter(([key, value]) => metadata[key] !== value);
  return { metadata, givenMetadata: Object.fromEntries(others) };
}
