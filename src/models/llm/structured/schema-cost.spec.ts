import { RE2JS, RE2JSSyntaxException } from 're2js';
import { fc } from '../../../../test/support/properties.js';
import { compileSchema } from './compile-schema.js';
import { everySubschema, type JsonSchema, SchemaProblem } from './json-schema.js';
import { patternSize } from './pattern-size.js';
import { costProblem, SCHEMA_LIMITS } from './schema-cost.js';

function problemOf(schema: object): { path: readonly unknown[]; message: string } | null {
  const problem = costProblem(everySubschema(schema as Readonly<Record<string, unknown>>) ?? []);
  return problem === null ? null : { path: problem.path, message: problem.message };
}

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const named = (count: number, make: (index: number) => unknown): Record<string, unknown> =>
  Object.fromEntries(many(count, (index) => [`n${index}`, make(index)]));

/** Definitions that each refer twice to the next one. */
function doubling(levels: number, keyword: string): object {
  const $defs: Record<string, unknown> = { [`d${levels}`]: { type: 'object' } };
  for (let level = 0; level < levels; level += 1) {
    const next = { $ref: `#/$defs/d${level + 1}` };
    $defs[`d${level}`] = { [keyword]: [next, next] };
  }
  return { $ref: '#/$defs/d0', $defs };
}

/** Size of the program of a pattern; 0 for a pattern that is not valid. */
function compiledSize(pattern: string): number {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(pattern)).programSize();
  } catch (error) {
    if (error instanceof RE2JSSyntaxException) return 0;
    throw error;
  }
}

describe('the cost of a schema', () => {
  it.each<[string, object, readonly unknown[], RegExp]>([
    [
      'many patterns',
      { patternProperties: Object.fromEntries(many(1_200, (n) => [`^(a|b|c){1,900}x${n}$`, true])) },
      ['patternProperties'],
      /1200 patterns/,
    ],
    [
      'patterns with large repetitions',
      { properties: { a: { pattern: '^x$' }, b: { pattern: '^((a|b){1,50}c){1,900}$' } } },
      ['properties', 'b', 'pattern'],
      /more than 5000 parts/,
    ],
    [
      'a pattern as a name',
      { items: { patternProperties: { '(ab){1,4000}': {} } } },
      ['items', 'patternProperties', '(ab){1,4000}'],
      /more than 5000 parts/,
    ],
    ['many alternatives', { oneOf: many(1_500, () => ({ type: 'string' })) }, [], /1501 subschemas/],
    ['many values', { enum: many(6_000, (n) => n) }, [], /6000 names and values/],
    ['many names', { dependentRequired: named(2_000, () => ['b', 'c']) }, [], /6000 names/],
    ['a reference to itself', { $ref: '#' }, ['$ref'], /circular/],
    ['a circle', { allOf: [{ $ref: '#/$defs/a' }], $defs: { a: { anyOf: [{ $ref: '#' }] } } }, [], /circular/],
    ['a circle by anchor', { $anchor: 'top', not: { $ref: '#top' } }, [], /circular/],
    ['doubling references', doubling(60, 'allOf'), [], /expands to more than 10000/],
    ['doubling alternatives', doubling(30, 'anyOf'), [], /expands to more than 10000/],
  ])('is too high for %s', (_name, schema, path, message) => {
    const problem = problemOf(schema);
    expect(problem?.message).toMatch(message);
    expect(problem?.path.slice(0, path.length)).toEqual(path);
    expect(() => compileSchema(schema as JsonSchema)).toThrow(SchemaProblem);
  });

  it.each<[string, object]>([
    ['a tree', { properties: { children: { type: 'array', items: { $ref: '#' } } } }],
    ['a list', { anyOf: [{ type: 'null' }, { properties: { next: { $ref: '#' } } }] }],
    ['many properties', { properties: named(800, () => ({ type: 'string' })) }],
    ['usual patterns', { patternProperties: Object.fromEntries(many(50, (n) => [`^x-[a-z]{1,20}${n}$`, {}])) }],
    ['repeated definitions', doubling(8, 'allOf')],
    ['a missing definition', { $ref: '#/$defs/none' }],
  ])('is low enough for %s', (_name, schema) => {
    expect(problemOf(schema)).toBeNull();
  });

  it.each([
    ['abc', 3],
    ['a{3}', 6],
    ['a{3,}', 8],
    ['(ab){2,3}', 15],
    ['[a-z0-9]+', 3],
    ['\\d{4}', 8],
    ['a{', 2],
    ['(((', 3],
  ])('counts the parts of %p', (pattern, size) => {
    expect(patternSize(pattern)).toBe(size);
  });

  it('multiplies nested repetitions', () => {
    expect(patternSize('((a{1,100}){1,100}){1,100}')).toBeGreaterThan(1_000_000);
  });

  it('counts at least half of the compiled program of any pattern', () => {
    const pattern = fc.stringMatching(/^(?:[abc(|)*+?.^$]|\[[ab]\]|\\[dw]|\{\d?\d(?:,\d?\d?)?\}){0,20}$/);
    fc.assert(
      fc.property(pattern, (text) => {
        fc.pre(patternSize(text) <= SCHEMA_LIMITS.patternSize);
        const program = compiledSize(text);
        expect(program).toBeLessThanOrEqual(2 * patternSize(text) + 10);
      }),
      { numRuns: Number(process.env['SCHEMA_RUNS'] ?? 500) },
    );
  });

  it('is counted in steps in proportion to the size of the schema', () => {
    const pattern = fc.stringMatching(/^(?:[ab(|)*+?\\[\]]|\{1,[1-9]00\}){0,30}$/);
    const schemas = fc.letrec<{ schema: object }>((tie) => ({
      schema: fc.oneof(
        { maxDepth: 5 },
        pattern.map((text) => ({ pattern: text })),
        pattern.map((text) => ({ patternProperties: { [text]: true } })),
        fc.constantFrom({ $ref: '#' }, { $ref: '#/$defs/a' }, { $ref: '#/allOf/0' }, {}),
        fc.array(tie('schema'), { maxLength: 4 }).map((list) => ({ anyOf: list })),
        fc.array(tie('schema'), { maxLength: 4 }).map((list) => ({ allOf: list })),
        tie('schema').map((inner) => ({ items: inner, $defs: { a: inner } })),
      ),
    })).schema;
    fc.assert(
      fc.property(schemas, (schema) => {
        const all = everySubschema(schema as Readonly<Record<string, unknown>>) ?? [];
        let visited = 0;
        const counted = all.map(({ path, schema: each }) => ({
          path,
          schema: new Proxy(each, { get: (target, name) => ((visited += 1), Reflect.get(target, name) as unknown) }),
        }));
        costProblem(counted);
        expect(visited).toBeLessThanOrEqual(200 * all.length);
      }),
      { numRuns: Number(process.env['SCHEMA_RUNS'] ?? 500) },
    );
  });
});
