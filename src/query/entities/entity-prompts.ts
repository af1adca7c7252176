import type { EntityExample, ResolutionExample } from '../prompt/prompt-overrides.js';

export const EXTRACTION_INSTRUCTIONS = 'You find the entities that a text names.';

export const DEFAULT_EXTRACTION_TEMPLATE = `List the people, organisations, places, products, technical terms and other things with a name that the text below mentions.
Give each with the label it has in the text, its type in capitals, and further properties only if the text states them.

Examples of entities:
{examples}

Text:
{content}`;

export const DEFAULT_EXTRACTION_EXAMPLES: readonly EntityExample[] = [
  { label: 'Ada Lovelace', type: 'PERSON', properties: { occupation: 'mathematician' } },
  { label: 'Royal Society', type: 'ORGANIZATION', properties: {} },
  { label: 'Analytical Engine', type: 'PRODUCT', properties: {} },
];

export const RESOLUTION_INSTRUCTIONS = 'You bring together the different names of one entity.';

export const DEFAULT_RESOLUTION_TEMPLATE = `For each entity below give its canonical name and the other names, spellings and abbreviations that documents may use for it.
Put entities that are the same under one canonical name.

Examples:
{examples_json}

Entities:
{entities_str}`;

export const DEFAULT_RESOLUTION_EXAMPLES: readonly ResolutionExample[] = [
  { canonical: 'United Nations', variants: ['UN', 'U.N.', 'the United Nations Organization'] },
  { canonical: 'JavaScript', variants: ['JS', 'ECMAScript'] },
];

const text = { type: 'string' } as const;

export const EXTRACTION_SCHEMA = {
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

export const RESOLUTION_SCHEMA = {
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
