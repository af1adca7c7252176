import { compileSchema } from './compile-schema.js';
import { readValue } from './structured-output.js';

const SCHEMA = compileSchema({
  type: 'object',
  required: ['a'],
  properties: { a: {}, b: { type: 'boolean' } },
  additionalProperties: false,
});

describe('readValue', () => {
  it.each<[string, string, unknown]>([
    ['a trailing comma', '{"a": [1, 2,],}', { a: [1, 2] }],
    ['a line break in a string', '{"a": "one\ntwo"}', { a: 'one\ntwo' }],
    ['single quotes', `{'a': 'it is "so"'}`, { a: 'it is "so"' }],
    ['comments', '{"a": 1, // first\n /* second */ "b": true}', { a: 1, b: true }],
    ['literals of Python', '{"a": None, "b": True}', { a: null, b: true }],
    ['a fence', 'Here:\n```json\n{"a": 1,}\n```\nDone.', { a: 1 }],
    ['words around', 'Here it is: {"a": 1,} as you asked.', { a: 1 }],
  ])('repairs %s', (_name, text, value) => {
    expect(readValue(text, SCHEMA)).toMatchObject({ valid: true, value });
  });

  it.each<[string, string]>([
    ['JSON that violates the schema', '{"c": 1}'],
    ['JSON with a string that looks like a literal', '{"a": 1, "b": "True"}'],
    ['a truncated object', '{"a": "fi'],
    ['words', 'There is no answer.'],
    ['nothing', ''],
    ['many brackets', '[{'.repeat(100_000)],
    ['many closed brackets', `${'['.repeat(100_000)}${']'.repeat(99_999)}`],
    ['a long text of quotes', `{${`'`.repeat(200_000)}}`],
  ])('does not repair %s', (_name, text) => {
    expect(readValue(text, SCHEMA).valid).toBe(false);
  });

  it.each(['{"a":"it\'s // so, True, "}', '{"a":12345678901234567890.10}', '{"a":[1,2]}'])(
    'keeps valid JSON unchanged: %s',
    (text) => {
      expect(readValue(text, SCHEMA)).toMatchObject({ valid: true, text });
    },
  );
});
