import type { JsonSchema } from './json-schema.js';

/** What a prompt says when an answer of a given shape is wanted; also for models without any JSON mode. */
export function schemaRules(schema: JsonSchema): string {
  return `Answer with one JSON value that is valid against the following JSON Schema, and with nothing else: no explanation, no code fence.\n${JSON.stringify(schema)}`;
}
