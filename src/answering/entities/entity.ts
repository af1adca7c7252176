import type { Location } from '../../errors/index.js';
import { normalise } from '../../lexical/analyse.js';
import type { ChatMessage, CompletionRequest } from '../../models/llm/language-model.js';
import { schemaRules } from '../../models/llm/prompt-parts.js';
import type { JsonSchema } from '../../models/llm/structured/json-schema.js';
import type { WrittenPart } from '../prompt/context-budget.js';
import { fillTemplate } from '../prompt/prompt.js';
import {
  DEFAULT_EXTRACTION_EXAMPLES,
  DEFAULT_EXTRACTION_TEMPLATE,
  DEFAULT_RESOLUTION_EXAMPLES,
  DEFAULT_RESOLUTION_TEMPLATE,
  EXTRACTION_INSTRUCTIONS,
  RESOLUTION_INSTRUCTIONS,
} from '../prompt/prompts.js';

/** An entity of a question with its canonical name and its variants, as `metadata.entities` contains it. */
export interface Entity {
  readonly label: string;
  readonly type: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly canonical: string;
  readonly variants: readonly string[];
}

/** Texts of the caller that replace parts of the prompt of a step. null: the default. */
export interface EntityPrompt {
  readonly template: string | null;
  readonly examples: readonly object[] | null;
}

/** An extracted entity before resolution. */
export type ExtractedEntity = Pick<Entity, 'label' | 'type' | 'properties'>;

export interface EntityGroup {
  readonly canonical: string;
  readonly variants: readonly string[];
}

/**
 * Adds to each entity the canonical name and the variants of its group. The canonical name of an entity without a group
 * is its label. Names that differ only in case or diacritics count as equal.
 */
export function resolved(entities: readonly ExtractedEntity[], groups: readonly EntityGroup[]): Entity[] {
  const byName = new Map<string, EntityGroup>();
  for (const group of groups) {
    for (const name of [group.canonical, ...group.variants]) {
      if (!byName.has(normalise(name))) byName.set(normalise(name), group);
    }
  }
  return entities.map((entity) => {
    const group = byName.get(normalise(entity.label));
    const { canonical, variants } = group ?? { canonical: entity.label, variants: [] };
    return { ...entity, canonical, variants: [...new Set(variants)].filter((name) => name !== canonical) };
  });
}

/** Returns the names of the entities that do not occur in the question. */
export function otherNames(question: string, entities: readonly Entity[]): string[] {
  const names = entities.flatMap(({ canonical, variants }) => [canonical, ...variants]);
  return [...new Set(names)].filter((name) => !question.includes(name));
}

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

export interface EntityRequest {
  readonly completion: CompletionRequest;
  readonly schema: JsonSchema;
  /** The parts of the prompt that the caller wrote. */
  readonly written: readonly WrittenPart[];
}

export function extractionRequest(question: string, override: EntityPrompt | null): EntityRequest {
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

export function resolutionRequest(
  entities: readonly ExtractedEntity[],
  override: EntityPrompt | null,
): EntityRequest {
  const examples = JSON.stringify(override?.examples ?? DEFAULT_RESOLUTION_EXAMPLES, null, 2);
  const prompt = fillTemplate(override?.template ?? DEFAULT_RESOLUTION_TEMPLATE, {
    entities_str: entities.map(entityLine).join('\n'),
    examples_json: examples,
  });
  const written = writtenIn('entity_resolution', override, examples);
  return entityRequest(RESOLUTION_INSTRUCTIONS, prompt, RESOLUTION_SCHEMA, written);
}

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

function writtenIn(member: string, override: EntityPrompt | null, examples: string): WrittenPart[] {
  const place = (name: string): Location => ['body', 'prompt_overrides', member, name];
  const template = override?.template ?? null;
  return [
    ...(template === null ? [] : [{ place: place('prompt_template'), length: template.length }]),
    ...((override?.examples ?? null) === null ? [] : [{ place: place('examples'), length: examples.length }]),
  ];
}
