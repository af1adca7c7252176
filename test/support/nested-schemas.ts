export interface NestedSchema {
  readonly name: string;
  readonly schema: object | boolean;
  /** A value that is valid for the schema. */
  readonly instance: unknown;
}

type Schema = Readonly<Record<string, unknown>> | boolean;

const text = { type: 'string' } as const;
const whole = { type: 'integer' } as const;
const number = { type: 'number' } as const;
const flag = { type: 'boolean' } as const;

const object = (
  properties: Readonly<Record<string, Schema>>,
  more: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  ...more,
});
const list = (items: Schema, more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => ({
  type: 'array',
  items,
  ...more,
});
const closed = { additionalProperties: false } as const;
const OLD = { $schema: 'http://json-schema.org/draft-07/schema#' } as const;
const NEW = { $schema: 'https://json-schema.org/draft/2020-12/schema' } as const;

const part = object({ name: text, count: whole });
const point = object({ x: number, y: number });
const at = (name: string, schema: object | boolean, instance: unknown): NestedSchema => ({
  name,
  schema,
  instance,
});

/** Fifty realistic schemas, each with a valid value. */
export const NESTED_SCHEMAS: readonly NestedSchema[] = [
  at('one number', object({ weight: whole }), { weight: 480 }),
  at('one string, closed', object({ designer: text }, closed), { designer: 'Maria Keller' }),
  at('a boolean', object({ waterproof: flag }), { waterproof: false }),
  at('a nullable number', object({ fax: { type: ['integer', 'null'] } }), { fax: null }),
  at('an enumeration', object({ encryption: { enum: ['WEP', 'WPA2', 'WPA3'] } }), { encryption: 'WPA3' }),
  at('an enumeration of kinds', object({ level: { enum: [1, 'two', null, true] } }), { level: 'two' }),
  at('a constant', object({ version: { const: 3 }, weight: number }), { version: 3, weight: 0.5 }),
  at('a date', object({ sold: { type: 'string', format: 'date' } }), { sold: '2019-03-12' }),
  at('a time', object({ sold: { type: 'string', format: 'date-time' } }), { sold: '2019-03-12T10:00:00Z' }),
  at('an address', object({ mail: { type: 'string', format: 'email' } }), { mail: 'a@example.com' }),
  at('a pattern', object({ code: { type: 'string', pattern: '^[A-Z]{2}-\\d{3}$' } }), { code: 'LR-001' }),
  at('lengths', object({ name: { ...text, minLength: 3, maxLength: 5 } }), { name: 'abcd' }),
  at('bounds', object({ age: { ...whole, minimum: 18, exclusiveMaximum: 65 } }), { age: 64 }),
  at('a multiple', object({ price: { ...number, multipleOf: 0.5 } }), { price: 12.5 }),
  at('an array of strings', object({ colours: list(text) }), { colours: ['red', 'green', 'blue'] }),
  at('an array of enumerated ones', object({ colours: list({ enum: ['red', 'green', 'pink'] }) }), {
    colours: ['red', 'green'],
  }),
  at('a unique array', object({ colours: list(text, { uniqueItems: true, minItems: 2 }) }), {
    colours: ['red', 'blue'],
  }),
  at('an array that may be empty', object({ errors: list(text, { maxItems: 3 }) }), { errors: [] }),
  at('an array of objects', object({ parts: list(part) }), { parts: [{ name: 'antenna', count: 2 }] }),
  at('arrays in arrays', object({ grid: list(list(whole)) }), { grid: [[1, 2], [], [3]] }),
  at('a tuple', object({ pair: { type: 'array', prefixItems: [text, whole], items: false } }), {
    pair: ['a', 1],
  }),
  at('contains', object({ tags: { type: 'array', contains: { const: 'x' }, minContains: 1 } }), {
    tags: ['x', 1],
  }),
  at('objects in objects', object({ a: object({ b: object({ c: object({ weight: whole }) }) }) }), {
    a: { b: { c: { weight: 1 } } },
  }),
  at('closed objects in objects', object({ maker: object({ name: text }, closed) }, closed), {
    maker: { name: 'Nimbus' },
  }),
  at(
    'optional members',
    { type: 'object', properties: { weight: whole, fax: whole }, required: ['weight'] },
    {
      weight: 480,
    },
  ),
  at('a map of numbers', { type: 'object', additionalProperties: number, minProperties: 1 }, { weight: 1.5 }),
  at('patterns of names', { type: 'object', patternProperties: { '^w': whole }, ...closed }, { weight: 3 }),
  at('names of properties', { type: 'object', propertyNames: { pattern: '^[a-z]+$' } }, { weight: 3 }),
  at(
    '$defs',
    { ...object({ from: { $ref: '#/$defs/point' }, to: { $ref: '#/$defs/point' } }), $defs: { point } },
    {
      from: { x: 0, y: 1 },
      to: { x: 2.5, y: -1 },
    },
  ),
  at(
    'definitions of draft-07',
    { ...OLD, ...object({ at: { $ref: '#/definitions/point' } }), definitions: { point } },
    {
      at: { x: 1, y: 2 },
    },
  ),
  at(
    'draft-07 tuples',
    { ...OLD, ...object({ pair: { type: 'array', items: [text, whole], additionalItems: false } }) },
    {
      pair: ['a', 1],
    },
  ),
  at(
    'draft-07 dependencies',
    { ...OLD, type: 'object', properties: { a: text }, dependencies: { a: ['b'] } },
    {
      a: 'x',
      b: 1,
    },
  ),
  at('2020-12 by name', { ...NEW, ...object({ parts: list(part) }) }, { parts: [] }),
  at(
    'dependentRequired',
    { ...NEW, type: 'object', properties: { card: text }, dependentRequired: { card: ['due'] } },
    {
      card: '1',
      due: 'now',
    },
  ),
  at(
    'a recursive tree',
    {
      $ref: '#/$defs/node',
      $defs: {
        node: {
          type: 'object',
          required: ['name'],
          properties: { name: text, children: list({ $ref: '#/$defs/node' }) },
        },
      },
    },
    { name: 'root', children: [{ name: 'leaf' }, { name: 'branch', children: [{ name: 'twig' }] }] },
  ),
  at(
    'a reference to the root',
    object({ name: text, parent: { anyOf: [{ $ref: '#' }, { type: 'null' }] } }),
    {
      name: 'a',
      parent: { name: 'b', parent: null },
    },
  ),
  at(
    'a reference by anchor',
    { ...object({ at: { $ref: '#here' } }), $defs: { place: { $anchor: 'here', ...point } } },
    {
      at: { x: 0, y: 0 },
    },
  ),
  at(
    'a reference with escapes',
    { ...object({ at: { $ref: '#/$defs/a~1b%20c' } }), $defs: { 'a/b c': point } },
    {
      at: { x: 0, y: 0 },
    },
  ),
  at(
    'oneOf',
    object({ contact: { oneOf: [object({ mail: text }, closed), object({ phone: whole }, closed)] } }),
    {
      contact: { phone: 4 },
    },
  ),
  at(
    'oneOf told apart by a constant',
    object({
      shape: {
        oneOf: [
          object({ kind: { const: 'circle' }, radius: number }, closed),
          object({ kind: { const: 'box' }, width: number, height: number }, closed),
        ],
      },
    }),
    { shape: { kind: 'box', width: 1, height: 2 } },
  ),
  at('anyOf', object({ value: { anyOf: [whole, list(whole), { type: 'null' }] } }), { value: [1, 2] }),
  at('allOf', { allOf: [object({ name: text }), object({ count: whole })] }, { name: 'a', count: 1 }),
  at(
    'allOf with references',
    { allOf: [{ $ref: '#/$defs/part' }, object({ weight: number })], $defs: { part } },
    {
      name: 'a',
      count: 1,
      weight: 2,
    },
  ),
  at('not', object({ colour: { ...text, not: { enum: ['black', 'white'] } } }), { colour: 'red' }),
  at(
    'if, then, else',
    {
      ...object({ country: text, code: text }),
      if: { properties: { country: { const: 'CH' } } },
      then: { properties: { code: { pattern: '^\\d{4}$' } } },
      else: { properties: { code: { pattern: '^\\d{5}$' } } },
    },
    { country: 'CH', code: '8001' },
  ),
  at(
    'unevaluatedProperties',
    { ...NEW, allOf: [object({ name: text })], unevaluatedProperties: false },
    { name: 'a' },
  ),
  at('any object', { type: 'object' }, { anything: [1, { goes: null }] }),
  at('an array at the root', list(part), [{ name: 'antenna', count: 1 }]),
  at('a string at the root', { type: 'string', minLength: 1 }, 'Maria Keller'),
  at('true', true, { a: 1 }),
];
