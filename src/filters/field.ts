import { textDefect } from '../json/text-defect.js';

/**
 * What a predicate looks at: the document's file name or id, or a place in its metadata. `path` is the dotted name
 * cut at its dots; a top-level key spelled exactly like `name` goes before the path.
 */
export type Field =
  | { readonly kind: 'column'; readonly column: 'filename' | 'external_id' }
  | { readonly kind: 'metadata'; readonly name: string; readonly path: readonly string[] };

const LONGEST_NAME = 1_024;
const DEEPEST_PATH = 100;

/** What is wrong with a field name, in words; undefined when it is fine. */
export function fieldNameDefect(name: string): string | undefined {
  if (name === '') return 'a field name expects at least one character, got the empty name';
  const defect = textDefect(name);
  if (defect !== undefined) return `a field name expects well-formed text, got a name with ${defect}`;
  const length = Array.from(name).length;
  if (length > LONGEST_NAME) return `a field name expects at most ${LONGEST_NAME} characters, got ${length}`;
  const levels = name.split('.').length;
  if (levels > DEEPEST_PATH)
    return `a dotted field name expects at most ${DEEPEST_PATH} levels, got ${levels}`;
  return undefined;
}

export function fieldNamed(name: string): Field {
  return name === 'filename' || name === 'external_id'
    ? { kind: 'column', column: name }
    : { kind: 'metadata', name, path: name.split('.') };
}
