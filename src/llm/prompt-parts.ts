import { randomBytes } from 'node:crypto';
import type { JsonSchema } from './structured/json-schema.js';

const freshKey = (): string => randomBytes(9).toString('base64url');

/**
 * A key that occurs in none of the texts. Each request has its own, so that no document can be written to imitate
 * the lines that set it apart.
 */
export function delimiterKey(texts: readonly string[], draw: () => string = freshKey): string {
  for (;;) {
    const key = draw();
    if (!texts.some((text) => text.includes(key))) return key;
  }
}

/** What a prompt says when an answer of a given shape is wanted; also for models without any JSON mode. */
export function schemaRules(schema: JsonSchema): string {
  return `Answer with one JSON value that is valid against the following JSON Schema, and with nothing else: no explanation, no code fence.\n${JSON.stringify(schema)}`;
}
