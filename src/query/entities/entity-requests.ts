import type { Location } from '../../errors/index.js';
import type { ChatMessage, CompletionRequest } from '../../llm/language-model.js';
import type { JsonSchema } from '../../llm/structured/json-schema.js';
import { schemaRules } from '../../llm/prompt-parts.js';
import { fillTemplate, type PromptOverrides } from '../prompt/prompt.js';
import type { WrittenPart } from '../prompt/context-budget.js';
import type { ExtractedEntity } from './entity.js';
import {
  EXTRACTION_INSTRUCTIONS,
  DEFAULT_EXTRACTION_TEMPLATE,
  DEFAULT_EXTRACTION_EXAMPLES,
  RESOLUTION_INSTRUCTIONS,
  DEFAULT_RESOLUTION_TEMPLATE,
  DEFAULT_RESOLUTION_EXAMPLES,
} from '../prompt/prompts.js';

const text = { type: 'string' } as const;

const EXTRACTION_SCHEMA = {
  type: 'object',
  required: ['entities'],
  properties: {
    entities: {
      type: 'array',
      items: {
        type: 'object',
        required: ['label', 'type'],
        properties: { label: text, type: text, properties: { type: 'object' } },
      },
    },
  },
} as const;

const RESOLUTION_SCHEMA = {
  type: 'object',
  required: ['groups'],
  properties: {
    groups: {
      type: 'array',
      items: {
        type: 'object',
        required: ['canonical', 'variants'],
        properties: { canonical: text, variants: { type: 'array', items: text } },
      },
    },
  },
} as const;

/** What a model is asked about entities. */
export interface EntityRequest {
  readonly completion: CompletionRequest;
  /** Of the answer. */
  readonly schema: JsonSchema;
  /** Parts of the prompt that stand in the caller's request. */
  readonly written: readonly WrittenPart[];
}

/** Which entities a question names. */
export function extractionRequest(
  question: string,
  override: PromptOverrides['entityExtraction'],
): EntityRequest {
  const examples = JSON.stringify(override?.examples ?? DEFAULT_EXTRACTION_EXAMPLES, null, 2);
  const prompt = fillTemplate(override?.template ?? DEFAULT_EXTRACTION_TEMPLATE, {
    content: question,
    examples,
  });
  return entityRequest(EXTRACTION_INSTRUCTIONS, prompt, EXTRACTION_SCHEMA, [
    { place: ['body', 'query'], length: question.length },
    ...writtenIn('entity_extraction', override, examples),
  ]);
}

/** Which names mean the same. */
export function resolutionRequest(
  entities: readonly ExtractedEntity[],
  override: PromptOverrides['entityResolution'],
): EntityRequest {
  const examples = JSON.stringify(override?.examples ?? DEFAULT_RESOLUTION_EXAMPLES, null, 2);
  const prompt = fillTemplate(override?.template ?? DEFAULT_RESOLUTION_TEMPLATE, {
    entities_str: entities.map(entityLine).join('\n'),
    examples_json: examples,
  });
  const written = writtenIn('entity_resolution', override, examples);
  return entityRequest(RESOLUTION_INSTRUCTIONS, prompt, RESOLUTION_SCHEMA, written);
}

/** An entity as it is listed for resolution. */
export function entityLine({ label, type }: ExtractedEntity): string {
  return `- ${label} (${type})`;
}

function entityRequest(
  instructions: string,
  prompt: string,
  schema: JsonSchema,
  written: readonly WrittenPart[],
): EntityRequest {
  const messages: ChatMessage[] = [
    { role: 'system', content: instructions },
    { role: 'user', content: `${prompt}\n\n${schemaRules(schema)}` },
  ];
  const completion: CompletionRequest = {
    messages,
    format: { kind: 'text' },
    maxTokens: null,
    temperature: null,
  };
  return { completion, schema, written };
}

function writtenIn(
  member: string,
  override: { readonly template: string | null; readonly examples: unknown } | null,
  examples: string,
): WrittenPart[] {
  const place = (name: string): Location => ['body', 'prompt_overrides', member, name];
  const template = override?.template ?? null;
  return [
    ...(template === null ? [] : [{ place: place('prompt_template'), length: template.length }]),
    ...((override?.examples ?? null) === null ? [] : [{ place: place('examples'), length: examples.length }]),
  ];
}
