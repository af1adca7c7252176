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

describe('compiling a JSON Schema', () => {
  it('checks values with full JSON Schema', () => {
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

  it('takes both drafts, named or not', () => {
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

  it.each<[string, unknown, readonly unknown[], RegExp]>([
    ['a wrong type', { type: 'nope' }, [], /not a valid JSON Schema/],
    ['no schema at all', 'string', [], /object or a boolean/],
    ['another dialect', { $schema: 'http://json-schema.org/draft-04/schema#' }, ['$schema'], /dialect/],
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
    ['a reference to nothing', { $ref: '#/$defs/none' }, [], /not a valid JSON Schema/],
    ['an asynchronous schema', { $async: true }, ['$async'], /not a keyword/],
    ['a pattern that is no linear expression', { pattern: '(?=x)' }, [], /not a valid JSON Schema/],
    ['more than 64 KiB', { description: 'x'.repeat(65_536) }, [], /65536/],
    ['endless nesting', nested(5_000), [], /levels deep/],
    ['much nesting', nested(300), [], /levels deep/],
  ])('refuses %s', (_name, schema, path, message) => {
    expect(problem(schema)).toEqual({ path, message: expect.stringMatching(message) as string });
  });

  it('takes references to its own identifiers', () => {
    const schema = {
      $id: 'https://x.example/root',
      $ref: 'https://x.example/a',
      $defs: { a: { $id: 'a', type: 'string' } },
    };
    expect(compileSchema(schema).problemsOf(1)).toHaveLength(1);
  });

  it('does not take data that looks like a reference for one', () => {
    expect(
      problem({ enum: [{ $ref: 'https://x.example' }], properties: { $ref: { type: 'string' } } }),
    ).toBeNull();
  });

  it('matches a hostile pattern in linear time', () => {
    const schema = compileSchema({ pattern: '^(a+)+$' });
    expect(schema.problemsOf(`${'a'.repeat(50_000)}b`)).toHaveLength(1);
  });

  it('stops at references that do not end or multiply', () => {
    expect(() => compileSchema({ $ref: '#' }).problemsOf({})).toThrow(SchemaProblem);
    const $defs: Record<string, unknown> = { d60: { type: 'object' } };
    for (let i = 0; i < 60; i++)
      $defs[`d${i}`] = { allOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] };
    expect(() => compileSchema({ $ref: '#/$defs/d0', $defs }).problemsOf({})).toThrow(SchemaProblem);
  });
});

function nested(levels: number): object {
  let schema: object = {};
  for (let i = 0; i < levels; i++) schema = { not: schema };
  return schema;
}
