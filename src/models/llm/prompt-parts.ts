import { randomBytes } from 'node:crypto';
import type { JsonSchema } from './structured/json-schema.js';

/** Stands in a conversation for an answer without text. */
export const NO_ANSWER = '(no answer)';

const freshKey = (): string => randomBytes(9).toString('base64url');

/**
 * Returns a random key for delimiter lines that does not occur in any of the texts. Each request gets a new key, so
 * that no document can contain its delimiters.
 */
export function delimiterKey(texts: readonly string[], draw: () => string = freshKey): string {
  for (;;) {
    const key = draw();
    if (!texts.some((text) => text.includes(key))) return key;
  }
}

/** Returns the prompt's instructions for an answer that matches a schema. Works for models without a JSON mode. */
export function schemaRules(schema: JsonSchema): string {
  return `Answer with one JSON value that is valid against the following JSON Schema, and with nothing else: no explanation, no code fence.\n${JSON.stringify(schema)}`;
}
