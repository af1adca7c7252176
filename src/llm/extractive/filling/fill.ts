import { isSchemaObject } from '../../structured/json-schema.js';
import { candidatesOf, type Candidate } from '../candidates.js';
import { affirms, datesIn } from './typed-values.js';
import { findMembers, findRows, itemsAfter } from './lists.js';
import { findNumber, findNumbers } from './numbers.js';
import { askedBy, placeOf, sentencesFor, wordsOf, type Asked } from './property.js';
import { findOption, findString, wordAt } from './strings.js';
import { resolveReference, typesOf, type Schema } from './schema-reading.js';

/** A value for a schema, or the path of the property that no value was found for. */
export type Filling = { readonly value: unknown } | { readonly missing: readonly string[] };

export interface FillContext {
  readonly question: string;
  readonly root: unknown;
  readonly candidates: readonly Candidate[];
  /** The answer in words, for a property that asks for just that. */
  readonly answer: () => string | null;
  /** Whether the schema is one of several branches, told apart by their constants. */
  readonly isChoice: boolean;
  /** How many more schemas may be looked at: references multiply what a short schema asks for. */
  readonly allowance: { left: number };
}

/** Levels of objects within objects; a schema that refers to itself ends there. */
const MAX_DEPTH = 12;

/** Fills a schema with typed values from the passages. Deterministic; guesses nothing that is not in the text. */
export function fill(schema: unknown, context: FillContext, path: readonly string[] = []): Filling {
  context.allowance.left -= 1;
  if (context.allowance.left < 0 || path.length > MAX_DEPTH) return { missing: path };
  if (!isSchemaObject(schema)) return wordsFor({}, context, path);
  if (typeof schema['$ref'] === 'string')
    return fill(resolveReference(schema['$ref'], context.root), context, path);
  if ('const' in schema) return constant(schema['const'], context, path);
  const asked = askedBy(context.question, path, schema);
  if (Array.isArray(schema['enum'])) {
    if (schema['enum'].length === 1) return constant(schema['enum'][0], context, path);
    const option = findOption(asked, schema['enum'], context.candidates);
    return option === undefined ? { missing: path } : { value: option };
  }
  if (Array.isArray(schema['allOf'])) return fillMerged(schema, schema['allOf'], context, path);
  const branches = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(branches)) return fillFirst(branches, context, path);
  return fillTypes(typesOf(schema), schema, asked, context, path);
}

/** `null` is for what is not there: it comes last. */
function fillTypes(
  types: readonly string[],
  schema: Schema,
  asked: Asked,
  context: FillContext,
  path: readonly string[],
): Filling {
  for (const type of types.filter((one) => one !== 'null')) {
    const filled = fillType(type, schema, asked, context, path);
    if ('value' in filled) return filled;
    if (!types.includes('null')) return filled;
  }
  return types.includes('null') ? { value: null } : { missing: path };
}

function fillType(
  type: string,
  schema: Schema,
  asked: Asked,
  context: FillContext,
  path: readonly string[],
): Filling {
  switch (type) {
    case 'object':
      return fillObject(schema, context, path);
    case 'array':
      return fillArray(schema, asked, context, path);
    case 'number':
    case 'integer': {
      const value = findNumber(asked, { ...schema, type }, context.candidates);
      return value === null ? { missing: path } : { value };
    }
    case 'boolean': {
      const value = findTruth(asked, context.candidates);
      return value === null ? { missing: path } : { value };
    }
    default:
      return wordsFor(schema, context, path);
  }
}

/** The only value there can be, unless that is what tells this schema from others: then the passages have to name it. */
function constant(value: unknown, { isChoice, ...context }: FillContext, path: readonly string[]): Filling {
  const texts = [context.question, ...context.candidates.map(({ sentence }) => sentence.text)];
  const isKnown = !isChoice || texts.some((text) => wordAt(text, String(value)) !== -1);
  return isKnown ? { value } : { missing: path };
}

/** What the best sentence that has the property's own word says of it: true, false, or nothing certain. */
function findTruth(asked: Asked, candidates: readonly Candidate[]): boolean | null {
  const best = sentencesFor(asked, candidates).find(
    ({ candidate: { terms } }) => asked.isQuestion || asked.heads.some((head) => terms.has(head)),
  );
  if (best === undefined) return null;
  const { text } = best.candidate.sentence;
  return affirms(text, placeOf({ ...asked, words: asked.heads.join(' ') || asked.words }, text));
}

function wordsFor(schema: Schema, context: FillContext, path: readonly string[]): Filling {
  const asked = askedBy(context.question, path, schema);
  const value = findString(asked, schema, context.candidates, context.answer);
  return value === null ? { missing: path } : { value };
}

/** Required properties must be found; others are there when something was found for them. */
function fillObject(schema: Schema, context: FillContext, path: readonly string[]): Filling {
  const properties = isSchemaObject(schema['properties']) ? schema['properties'] : {};
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  const names = new Set([...Object.keys(properties), ...required.filter((name) => typeof name === 'string')]);
  const entries: [string, unknown][] = [];
  for (const name of names) {
    const filled = fill(properties[name] ?? true, context, [...path, name]);
    if ('value' in filled) entries.push([name, filled.value]);
    else if (required.includes(name)) return filled;
  }
  return { value: Object.fromEntries(entries) };
}

function fillArray(schema: Schema, asked: Asked, context: FillContext, path: readonly string[]): Filling {
  const values = arrayValues(schema['items'], asked, context, path);
  const most = typeof schema['maxItems'] === 'number' ? schema['maxItems'] : values.length;
  return values.length === 0 ? { missing: path } : { value: values.slice(0, most) };
}

function arrayValues(items: unknown, asked: Asked, context: FillContext, path: readonly string[]): unknown[] {
  const target =
    isSchemaObject(items) && typeof items['$ref'] === 'string'
      ? resolveReference(items['$ref'], context.root)
      : items;
  const schema = isSchemaObject(target) ? target : {};
  const [type = 'string'] = typesOf(schema);
  if (type === 'object') return objectsFor(schema, asked, context, path);
  if (type === 'number' || type === 'integer')
    return findNumbers(asked, { ...schema, type }, context.candidates);
  if (Array.isArray(schema['enum'])) return optionsNamed(schema['enum'], asked, context);
  if (schema['format'] === 'date')
    return sentencesFor(asked, context.candidates).flatMap(({ candidate }) =>
      datesIn(candidate.sentence.text).map(({ value }) => value),
    );
  const members = findMembers(asked, context.candidates);
  if (members.length > 0) return members;
  const single = fill(schema, context, path);
  return 'value' in single ? [single.value] : [];
}

function optionsNamed(options: readonly unknown[], asked: Asked, context: FillContext): unknown[] {
  const [best] = sentencesFor(asked, context.candidates);
  const text = best?.candidate.sentence.text.toLowerCase() ?? '';
  return options.filter((option) => text.includes(String(option).toLowerCase()));
}

/** Objects of a table's rows, or of the items of a list; otherwise the one object that the passages give. */
function objectsFor(schema: Schema, asked: Asked, context: FillContext, path: readonly string[]): unknown[] {
  const properties = isSchemaObject(schema['properties']) ? schema['properties'] : {};
  const rows = findRows(Object.keys(properties), context.candidates).map(({ cells }) =>
    [...cells].map(([name, cell]) => `${wordsOf(name)}: ${cell}`).join('\n'),
  );
  const [best] = sentencesFor(asked, context.candidates);
  const items =
    best === undefined
      ? []
      : itemsAfter(best.candidate, context.candidates).map(({ sentence }) => sentence.text);
  const sources = rows.length > 0 ? rows : items;
  const filled = sources.flatMap((text) => {
    const inside = fill(
      schema,
      { ...context, candidates: candidatesOf([{ number: 1, text, score: 1 }]) },
      path,
    );
    return 'value' in inside ? [inside.value] : [];
  });
  if (filled.length > 0) return filled;
  const single = fill(schema, context, path);
  return 'value' in single ? [single.value] : [];
}

function fillFirst(branches: readonly unknown[], context: FillContext, path: readonly string[]): Filling {
  const inOrder = [...branches].sort((a, b) => Number(isNull(a)) - Number(isNull(b)));
  const isChoice = branches.filter((branch) => !isNull(branch)).length > 1;
  for (const branch of inOrder) {
    const filled = isNull(branch) ? { value: null } : fill(branch, { ...context, isChoice }, path);
    if ('value' in filled) return filled;
  }
  return { missing: path };
}

function isNull(schema: unknown): boolean {
  return isSchemaObject(schema) && schema['type'] === 'null';
}

/** The parts of an `allOf` as one schema: properties and required names together, other keywords by the last. */
function fillMerged(
  schema: Schema,
  parts: readonly unknown[],
  context: FillContext,
  path: readonly string[],
): Filling {
  const { allOf: _, ...own } = schema;
  const resolved = parts.map((part) =>
    isSchemaObject(part) && typeof part['$ref'] === 'string'
      ? resolveReference(part['$ref'], context.root)
      : part,
  );
  const all = [...resolved, own].filter(isSchemaObject);
  const merged = {
    ...Object.assign({}, ...all),
    properties: Object.assign({}, ...all.map(({ properties }) => properties ?? {})) as unknown,
    required: all.flatMap(({ required }) => (Array.isArray(required) ? (required as unknown[]) : [])),
  } as Schema;
  const isPlain = Object.keys(merged['properties'] as object).length === 0;
  return fill(isPlain ? { ...merged, properties: undefined } : merged, context, path);
}
