import { Ajv2020 } from 'ajv/dist/2020.js';
import { compileSchema } from './compile-schema.js';
import { type JsonSchema, SchemaProblem } from './json-schema.js';

function problem(schema: unknown): { path: readonly unknown[]; message: string } | null {
  try {
    compileSchema(schema as JsonSchema);
    return null;
  } catch (error) {
    if (error instanceof SchemaProblem) return { path: error.path, message: error.message };
    throw error;
  }
}

describe('compileSchema', () => {
  it('validates values against nested keywords, references and formats', () => {
    const schema = compileSchema({
      type: 'object',
      required: ['lines', 'state'],
      additionalProperties: false,
      properties: {
        state: { enum: ['open', 'paid'] },
        lines: { type: 'array', minItems: 1, items: { $ref: '#/$defs/line' } },
        due: { type: 'string', format: 'date' },
      },
      $defs: {
        line: {
          type: 'object',
          required: ['sku'],
          properties: { sku: { type: 'string', pattern: '^\\d+$' } },
        },
      },
    });
    expect(schema.problemsOf({ state: 'open', lines: [{ sku: '12' }], due: '2024-05-01' })).toEqual([]);
    expect(schema.problemsOf({ state: 'lost', lines: [{ sku: 'x' }], due: 'soon', more: 1 })).toEqual([
      '/ must NOT have additional properties (more)',
      '/state must be equal to one of the allowed values: ["open","paid"]',
      '/lines/0/sku must match pattern "^\\d+$"',
      '/due must match format "date"',
    ]);
  });

  it('accepts both drafts, with or without $schema', () => {
    const tuple = { items: [{ type: 'string' }], additionalItems: false };
    expect(compileSchema(tuple).problemsOf(['a', 'b'])).toHaveLength(1);
    expect(
      compileSchema({ $schema: 'http://json-schema.org/draft-07/schema#', ...tuple }).problemsOf(['a']),
    ).toEqual([]);
    const prefix = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      prefixItems: [{ type: 'string' }],
    };
    expect(compileSchema(prefix).problemsOf([1])).toHaveLength(1);
    expect(compileSchema(true).problemsOf(1)).toEqual([]);
    expect(compileSchema(false).problemsOf(1)).toHaveLength(1);
  });

  it.each<[string, object, unknown, boolean]>([
    ['cents', { multipleOf: 0.01 }, 19.99, true],
    ['half a cent', { multipleOf: 0.01 }, 19.995, false],
    ...['constructor', 'toString', 'valueOf', 'hasOwnProperty'].flatMap(
      (name): [string, object, unknown, boolean][] => [
        [`${name}, absent`, { properties: { [name]: { type: 'string' } } }, {}, true],
        [`${name}, wrong`, { properties: { [name]: { type: 'string' } } }, { [name]: 1 }, false],
        [`${name}, required and absent`, { required: [name] }, {}, false],
        [`${name} among closed properties`, { additionalProperties: false }, { [name]: 1 }, false],
      ],
    ),
    ['a number in a string', { type: 'integer' }, '1', false],
    ['a string instead of an array', { type: 'array' }, 'a', false],
    ['an integer with a fraction of zero', { type: 'integer' }, 1.0, true],
    ['characters beyond the BMP', { maxLength: 1, pattern: '^.$' }, '😀', true],
    [
      'objects that differ in the order of members',
      { uniqueItems: true },
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      false,
    ],
    ['true next to 1', { uniqueItems: true }, [1, true], true],
    ['an unknown format', { format: 'colour' }, 'red', true],
    ['a discriminator of OpenAPI', { discriminator: { propertyName: 'a' }, oneOf: [{}, false] }, {}, true],
    ['a default', { properties: { a: { default: 1 } }, required: ['a'] }, {}, false],
    ['id, which is not a keyword', { id: 'line', type: 'string' }, 'a', true],
    ['unknown keywords', { 'x-order': [1], example: 'a', type: 'string' }, 'a', true],
    [
      'siblings of a reference',
      { $ref: '#/$defs/a', maxLength: 1, $defs: { a: { type: 'string' } } },
      'ab',
      false,
    ],
    ['large numbers', { maximum: 1e300, const: 1e21 }, 1e21, true],
  ])('follows the JSON Schema standard for %s', (_name, schema, value, isValid) => {
    expect(compileSchema(schema as JsonSchema).problemsOf(value).length === 0).toBe(isValid);
  });

  it('leaves the validated value unchanged', () => {
    const value = JSON.parse('{"a":1,"__proto__":{"b":2}}') as object;
    const schema = { properties: { c: { default: 1 } }, additionalProperties: true };
    expect(compileSchema(schema).problemsOf(value)).toEqual([]);
    expect(JSON.stringify(value)).toBe('{"a":1,"__proto__":{"b":2}}');
  });

  it.each<[string, unknown, readonly unknown[], RegExp]>([
    ['a wrong type', { type: 'nope' }, [], /not a valid JSON Schema/],
    ['a string instead of a schema', 'string', [], /object or a boolean/],
    ['another dialect', { $schema: 'http://json-schema.org/draft-04/schema#' }, ['$schema'], /draft/],
    [
      'a remote reference',
      { properties: { a: { $ref: 'https://x.example/s.json' } } },
      ['properties', 'a', '$ref'],
      /remote/,
    ],
    ['a relative remote reference', { items: { $ref: 'other.json#/a' } }, ['items', '$ref'], /remote/],
    [
      'a reference to a metaschema',
      { $ref: 'https://json-schema.org/draft/2020-12/schema' },
      ['$ref'],
      /remote/,
    ],
    ['a reference to a missing definition', { $ref: '#/$defs/none' }, [], /not a valid JSON Schema/],
    ['an asynchronous schema', { $async: true }, ['$async'], /not a keyword/],
    ['a pattern that RE2 does not support', { pattern: '(?=x)' }, [], /not a valid JSON Schema/],
    ['more than 64 KiB', { description: 'x'.repeat(65_536) }, [], /65536/],
    ['endless nesting', nested(5_000), [], /levels deep/],
    ['much nesting', nested(300), [], /levels deep/],
  ])('refuses %s', (_name, schema, path, message) => {
    expect(problem(schema)).toEqual({ path, message: expect.stringMatching(message) as string });
  });

  it('resolves references to its own identifiers', () => {
    const schema = {
      $id: 'https://x.example/root',
      $ref: 'https://x.example/a',
      $defs: { a: { $id: 'a', type: 'string' } },
    };
    expect(compileSchema(schema).problemsOf(1)).toHaveLength(1);
  });

  it('ignores data that looks like a reference', () => {
    expect(
      problem({ enum: [{ $ref: 'https://x.example' }], properties: { $ref: { type: 'string' } } }),
    ).toBeNull();
  });

  it('matches a hostile pattern in linear time', () => {
    const schema = compileSchema({ pattern: '^(a+)+$' });
    expect(schema.problemsOf(`${'a'.repeat(50_000)}b`)).toHaveLength(1);
  });

  it('stops a validation whose steps multiply with the depth of the value', () => {
    const schema = compileSchema({
      anyOf: [{ items: { $ref: '#' }, minItems: 1, contains: false }, { items: { $ref: '#' }, minLength: 1 }],
    });
    let value: unknown = [];
    for (let depth = 0; depth < 40; depth += 1) value = [value];
    expect(() => schema.problemsOf(value)).toThrow(/steps to validate/);
  });

  it('counts the characters that a pattern is compared with', () => {
    const schema = compileSchema({ items: { pattern: '(a|b){1,400}$' } });
    expect(() => schema.problemsOf(Array.from({ length: 100 }, () => 'a'.repeat(1_000)))).toThrow(/steps/);
    expect(schema.problemsOf(['a'.repeat(1_000)])).toEqual([]);
  });

  it('validates a long list of unique items in steps that do not multiply', () => {
    const items = Array.from({ length: 30_000 }, (_, index) => [index]);
    const schema = compileSchema({ uniqueItems: true });
    expect(schema.problemsOf(items)).toEqual([]);
    expect(schema.problemsOf([...items, [7]])).toEqual(['/ must NOT have duplicate items']);
  });

  it('refuses a schema again without compiling it', () => {
    const schema = { properties: { a: { type: 'nope' } } };
    const compile = jest.spyOn(Ajv2020.prototype, 'validateSchema');
    expect(problem(schema)).not.toBeNull();
    const calls = compile.mock.calls.length;
    expect(problem(schema)).not.toBeNull();
    expect(compile.mock.calls.length).toBe(calls);
    compile.mockRestore();
  });
});

function nested(levels: number): object {
  let schema: object = {};
  for (let i = 0; i < levels; i++) schema = { not: schema };
  return schema;
}
