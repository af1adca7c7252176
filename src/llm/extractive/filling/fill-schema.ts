import { Invalid } from '../../../errors/index.js';
import type { Grounding } from '../../completion.js';
import { isSchemaObject, type JsonSchema } from '../../structured/json-schema.js';
import { candidatesOf } from '../candidates.js';
import { fill } from './fill.js';

/** Schemas that one request may have filled, every use of a reference counted. */
const MOST_SCHEMAS = 300;

/** Keywords that say what shape a value has; without any of them an object with the answer is as good as any. */
const SHAPES = [
  'type',
  'properties',
  'required',
  'items',
  'enum',
  'const',
  'anyOf',
  'oneOf',
  'allOf',
  '$ref',
];

/**
 * A value for the schema from the passages.
 * @param answerInWords null when the passages do not answer the question.
 * @throws Invalid naming the property that the passages give no value for.
 */
export function fillSchema(
  schema: JsonSchema,
  { question, passages }: Grounding,
  answerInWords: () => string | null,
): unknown {
  const isOpen = !isSchemaObject(schema) || !SHAPES.some((keyword) => keyword in schema);
  const asked = isOpen
    ? { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] }
    : schema;
  const filled = fill(asked, {
    question,
    root: asked,
    candidates: candidatesOf(passages),
    answer: answerInWords,
    isChoice: false,
    allowance: { left: MOST_SCHEMAS },
  });
  if ('value' in filled) return filled.value;
  const property = filled.missing.length === 0 ? 'the value' : `the property "${filled.missing.join('.')}"`;
  throw Invalid.at(
    ['body', 'schema'],
    `the embedded default finds no value for ${property} in the passages; make it optional or nullable, or configure a model`,
  );
}
