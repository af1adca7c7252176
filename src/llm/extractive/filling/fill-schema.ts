import { NO_CONTEXT } from '../../../lexical/chunk-context.js';
import { Invalid } from '../../../errors/index.js';
import type { Grounding } from '../../completion.js';
import { isSchemaObject, type JsonSchema } from '../../structured/json-schema.js';
import { TimeLimitExceeded, withinTime } from '../../structured/time-limit.js';
import { candidatesOf, itemsOf, type Candidate } from '../candidates.js';
import { truthFor } from './booleans.js';
import { membersFor, rowsNaming } from './lists.js';
import { numbersIn } from './numbers.js';
import { askedBy, nearestFirst, sentencesFor, type Asked, type Finder } from './property.js';
import { SchemaParts, typesOf, type Schema } from './schema-parts.js';
import { formattedIn, optionsIn, stringsFor, wordAt } from './strings.js';
import { unitAsked, type Unit } from './units.js';

/** Levels of objects within objects; a schema that refers to itself ends there. */
const MAX_DEPTH = 12;
/** Schemas that one request may have filled, every use of a reference counted. */
const MAX_SCHEMAS = 300;
const MAX_MS = 3_000;

/** Keywords that say what shape a value has; without any of them an object with the answer is as good as any. */
const SHAPES = 'type properties required items enum const anyOf oneOf allOf $ref'.split(' ');
const OPEN = { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] };

/** A value for a schema, or the path of the property that no value was found for. */
type Filled = { readonly value: unknown } | { readonly missing: readonly string[] };

interface FillContext {
  readonly question: string;
  readonly parts: SchemaParts;
  readonly candidates: readonly Candidate[];
  readonly answerInWords: () => string | null;
  /** Whether the schema is one of several branches, told apart by their constants. */
  readonly isChoice: boolean;
  /** How many more schemas may be looked at: references multiply what a short schema asks for. */
  readonly allowance: { left: number };
}

/**
 * A value for the schema from the passages. Extractors propose values, the schema takes the first that is valid.
 * Deterministic; nothing is made up that is not in the text.
 * @param answerInWords null when the passages do not answer the question.
 * @throws Invalid naming the property that the passages give no value for.
 */
export function fillSchema(
  schema: JsonSchema,
  { question, passages }: Grounding,
  answerInWords: () => string | null,
): unknown {
  const asked = isSchemaObject(schema) && SHAPES.some((keyword) => keyword in schema) ? schema : OPEN;
  const context: FillContext = {
    question,
    parts: new SchemaParts(asked),
    candidates: candidatesOf(passages),
    answerInWords,
    isChoice: false,
    allowance: { left: MAX_SCHEMAS },
  };
  const filled = inTime(() => fill(asked, context, []));
  if ('value' in filled) return filled.value;
  const property = filled.missing.length === 0 ? 'the value' : `the property "${filled.missing.join('.')}"`;
  throw Invalid.at(
    ['body', 'schema'],
    `the embedded default finds no value for ${property} in the passages; make it optional or nullable, or configure a model`,
  );
}

function inTime(work: () => Filled): Filled {
  try {
    return withinTime(MAX_MS, work);
  } catch (error) {
    if (!(error instanceof TimeLimitExceeded)) throw error;
    throw Invalid.at(['body', 'schema'], 'takes too long to be filled from the passages');
  }
}

function fill(part: unknown, context: FillContext, path: readonly string[]): Filled {
  context.allowance.left -= 1;
  if (context.allowance.left < 0 || path.length > MAX_DEPTH) return { missing: path };
  const shape = context.parts.shapeOf(part);
  const branches = shape['anyOf'] ?? shape['oneOf'];
  const options = optionsOf(shape);
  const filled = Array.isArray(branches)
    ? fillBranches(branches, context, path)
    : fillTypes(options === null ? typesOf(shape) : ['option'], part, shape, context, path);
  if ('value' in filled) return filled;
  // null is for what is not there: it comes last.
  const isNullable = namesNull(shape) || (Array.isArray(branches) && branches.some(namesNull));
  return isNullable && context.parts.accepts(part, null) ? { value: null } : filled;
}

function optionsOf(shape: Schema): readonly unknown[] | null {
  if ('const' in shape) return [shape['const']];
  return Array.isArray(shape['enum']) ? (shape['enum'] as unknown[]) : null;
}

function namesNull(schema: unknown): boolean {
  if (!isSchemaObject(schema)) return false;
  const { type, enum: options } = schema;
  return [type].flat().includes('null') || (Array.isArray(options) && options.includes(null));
}

function isNull(schema: unknown): boolean {
  return isSchemaObject(schema) && schema['type'] === 'null';
}

function fillBranches(branches: readonly unknown[], context: FillContext, path: readonly string[]): Filled {
  const others = branches.filter((branch) => !isNull(branch));
  for (const branch of others) {
    const filled = fill(branch, { ...context, isChoice: others.length > 1 }, path);
    if ('value' in filled) return filled;
  }
  return { missing: path };
}

/** Required properties must be found; others are there when something was found for them. */
function fillObject(shape: Schema, context: FillContext, path: readonly string[]): Filled {
  const properties = isSchemaObject(shape['properties']) ? shape['properties'] : {};
  const required: readonly unknown[] = Array.isArray(shape['required']) ? shape['required'] : [];
  const names = new Set([...Object.keys(properties), ...required.filter((name) => typeof name === 'string')]);
  const entries: [string, unknown][] = [];
  for (const name of names) {
    const filled = fill(properties[name], context, [...path, name]);
    if ('value' in filled) entries.push([name, filled.value]);
    else if (required.includes(name)) return filled;
  }
  return { value: Object.fromEntries(entries) };
}

/** The first value that is proposed and valid; for a value that is not found, the path of what is missing. */
function fillTypes(
  types: readonly string[],
  part: unknown,
  shape: Schema,
  context: FillContext,
  path: readonly string[],
): Filled {
  let missing = path;
  const asked = askedBy(context.question, path, shape);
  for (const type of types) {
    if (type === 'object') {
      const filled = fillObject(shape, context, path);
      if ('value' in filled) return filled;
      missing = filled.missing;
    } else {
      for (const value of proposals(type, shape, asked, context, path)) {
        if (context.parts.accepts(part, value)) return { value };
      }
    }
  }
  return { missing };
}

/** Values of a type that the passages have for what is asked, most probable first. */
function* proposals(
  type: string,
  shape: Schema,
  asked: Asked,
  context: FillContext,
  path: readonly string[],
): Generator {
  const sentences = sentencesFor(asked, context.candidates);
  const find = finderFor(type, shape, unitAsked(asked.words));
  if (type === 'null') return;
  else if (type === 'array') yield* lists(shape, sentences, context, path);
  else if (type === 'boolean') yield* truthFor(asked, sentences);
  else if (type === 'option' && optionsOf(shape)?.length === 1) yield* knownConstants(shape, context);
  else if (find !== null) yield* nearestFirst(asked, sentences, find);
  else yield* stringsFor(asked, sentences, context.answerInWords);
}

/** How values are found that can be told by their form; null for truth and for words. */
function finderFor(type: string, shape: Schema, unit: Unit | null): Finder | null {
  const options = optionsOf(shape);
  if (options !== null) return (text) => optionsIn(text, options);
  if (type === 'number' || type === 'integer') return (text) => numbersIn(text, unit);
  return formattedIn(shape['format']);
}

/** The only value there can be, unless that is what tells this schema from others: then the passages have to name it. */
function knownConstants(shape: Schema, { isChoice, question, candidates }: FillContext): readonly unknown[] {
  const texts = [question, ...candidates.map(({ sentence }) => sentence.text)];
  const isKnown = (value: unknown): boolean => texts.some((text) => wordAt(text, String(value)) !== -1);
  return (optionsOf(shape) ?? []).filter((value) => !isChoice || isKnown(value));
}

/** A list of rows of a table, of values of a sentence, or of what a sentence lists; otherwise of the one there is. */
function* lists(
  { items, maxItems }: Schema,
  sentences: readonly Candidate[],
  context: FillContext,
  path: readonly string[],
): Generator<unknown[]> {
  const shape = context.parts.shapeOf(items);
  const [type = 'string'] = typesOf(shape);
  const find = finderFor(type, shape, null);
  let values: unknown[] = [];
  if (type === 'object') values = objectsFor(items, shape, sentences, context, path);
  else if (find !== null) values = valuesFor(find, sentences, items, context);
  else if (type === 'string')
    values = membersFor(sentences, context.candidates).filter((one) => context.parts.accepts(items, one));
  if (values.length === 0) {
    const single = fill(items, context, path);
    if ('missing' in single) return;
    values = [single.value];
  }
  yield values.slice(0, typeof maxItems === 'number' ? maxItems : undefined);
}

/** Valid values of the best sentence that has any; formatted ones, which are hardly found by chance, of every one. */
function valuesFor(
  find: Finder,
  sentences: readonly Candidate[],
  items: unknown,
  { parts }: FillContext,
): unknown[] {
  const found = sentences
    .map(({ sentence }) =>
      find(sentence.text).flatMap(({ value }) => (parts.accepts(items, value) ? [value] : [])),
    )
    .filter((values) => values.length > 0);
  return parts.shapeOf(items)['format'] === undefined ? (found[0] ?? []) : found.flat();
}

/** Objects of a table's rows, or of the items of a list. */
function objectsFor(
  items: unknown,
  shape: Schema,
  [best]: readonly Candidate[],
  context: FillContext,
  path: readonly string[],
): unknown[] {
  const names = isSchemaObject(shape['properties']) ? Object.keys(shape['properties']) : [];
  const rows = rowsNaming(names, context.candidates);
  const listed = best === undefined ? [] : itemsOf(best, context.candidates);
  const sources = rows.length > 0 ? rows : listed.map(({ sentence }) => sentence.text);
  return sources.flatMap((text) => {
    const candidates = candidatesOf([{ number: 1, text, context: NO_CONTEXT, score: 1 }]);
    const filled = fill(items, { ...context, candidates }, path);
    return 'value' in filled ? [filled.value] : [];
  });
}
