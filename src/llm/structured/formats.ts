import { LRUCache } from 'lru-cache';
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

/** Schemas of which it is remembered, for each model, that its schema mode does not take them. */
const MAX_REMEMBERED = 256;

/**
 * Formats that a model is known to refuse, so that they are not tried on every request. A schema mode may refuse one
 * schema and take the next: it is remembered for that schema.
 */
export class RefusedFormats {
  private readonly byModel = new WeakMap<LanguageModel, LRUCache<string, true>>();

  without(model: LanguageModel, formats: readonly ResponseFormat[]): ResponseFormat[] {
    const refused = this.byModel.get(model);
    return formats.filter((format) => refused?.get(keyOf(format)) !== true);
  }

  /** Remembers formats that were refused before another one was taken: only then it was the format. */
  note(model: LanguageModel, formats: readonly ResponseFormat[]): void {
    if (formats.length === 0) return;
    const refused = this.byModel.get(model) ?? new LRUCache({ max: MAX_REMEMBERED });
    for (const format of formats) refused.set(keyOf(format), true);
    this.byModel.set(model, refused);
  }
}

function keyOf(format: ResponseFormat): string {
  return format.kind === 'schema' ? JSON.stringify(format.schema) : format.kind;
}
