import type { ResponseFormat } from '../completion.js';
import type { LanguageModel } from '../language-model.js';
import { isSchemaObject, type JsonSchema } from './json-schema.js';

const TEXT: ResponseFormat = { kind: 'text' };
const JSON_MODE: ResponseFormat = { kind: 'json' };

/**
 * Response formats worth asking for, best first. The JSON modes of providers answer objects only, and their schema
 * modes want an object at the root; for other shapes plain text is what is left.
 */
export function formatsFor(model: LanguageModel, schema: JsonSchema): ResponseFormat[] {
  if (!model.followsInstructions) return [{ kind: 'schema', schema }];
  if (typeof schema === 'boolean') return [JSON_MODE, TEXT];
  if (schema['type'] === 'object') return [{ kind: 'schema', schema }, JSON_MODE, TEXT];
  return admitsOnlyObjects(schema) ? [JSON_MODE, TEXT] : [TEXT];
}

function admitsOnlyObjects(schema: Readonly<Record<string, unknown>>): boolean {
  return schema['type'] === undefined && isSchemaObject(schema['properties']);
}
