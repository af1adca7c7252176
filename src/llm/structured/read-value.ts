import type { CompiledSchema } from './compile-schema.js';
import { jsonIn } from './extract-json.js';

export type ReadValue =
  | { readonly valid: true; readonly value: unknown; readonly text: string }
  | { readonly valid: false; readonly problems: readonly string[] };

/** The first value in a model's text that is valid; otherwise what is wrong with the most probable one. */
export function readValue(text: string, schema: CompiledSchema): ReadValue {
  let problems: readonly string[] | undefined;
  for (const { plain, exact, source } of jsonIn(text)) {
    const found = schema.problemsOf(plain);
    if (found.length === 0) return { valid: true, value: exact, text: source };
    problems ??= found;
  }
  return { valid: false, problems: problems ?? ['the answer is not valid JSON'] };
}
