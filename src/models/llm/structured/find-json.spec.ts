import { compileSchema } from './compile-schema.js';
import { readValue } from './find-json.js';

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

  it.each<[string, string, string]>([
    ['a path', '{"a": "C:\\proj\\src\\main"}', 'C:\\proj\\src\\main'],
    ['a path with parts that look like escapes', '{"a": "C:\\proj\\new\\table"}', 'C:\\proj\\new\\table'],
    ['a path of users', '{"a": "C:\\users\\ann"}', 'C:\\users\\ann'],
    ['a path at its end', '{"a": "C:\\proj\\"}', 'C:\\proj\\'],
    ['a path in single quotes', "{'a': 'C:\\proj\\src'}", 'C:\\proj\\src'],
    ['a share', '{"a": "\\\\server\\share"}', '\\server\\share'],
    ['a formula', '{"a": "\\alpha + \\frac{1}{2} \\sigma"}', '\\alpha + \\frac{1}{2} \\sigma'],
    ['a regular expression', '{"a": "^\\d+\\.\\w*$"}', '^\\d+\\.\\w*$'],
    ['escapes beside it', '{"a": "\\d \\"x\\" \\u00e9\\nNext"}', '\\d "x" é\nNext'],
    ['an escaped apostrophe', `{"a": "it\\'s"}`, "it's"],
    ['an apostrophe in single quotes', "{'a': 'it's lit at dusk'}", "it's lit at dusk"],
    ['an escaped apostrophe in single quotes', "{'a': 'it\\'s'}", "it's"],
    ['quoted letters', "{'a': 'rock 'n' roll'}", "rock 'n' roll"],
    ['a typographic apostrophe', '{"a": "it’s",}', 'it’s'],
    ['typographic quotation marks', '{“a”: “it’s”}', 'it’s'],
    ['an apostrophe in typographic quotation marks', '{‘a’: ‘it’s lit’}', 'it’s lit'],
    ['quotation marks', '{"a": "say "hi" now"}', 'say "hi" now'],
    ['a quotation before a comma', '{"a": "say "hi", then go"}', 'say "hi", then go'],
    ['a comment that is none', '{"a": "http://x.example /* y */",}', 'http://x.example /* y */'],
    ['a tabulator', '{"a": "one\ttwo"}', 'one\ttwo'],
  ])('keeps the text of a string with %s', (_name, text, value) => {
    expect(readValue(text, SCHEMA)).toMatchObject({ valid: true, value: { a: value } });
    expect(readValue(`Here:\n\`\`\`json\n${text}\n\`\`\``, SCHEMA)).toMatchObject({ value: { a: value } });
  });

  it.each<[string, string]>([
    ['a draft and an answer', 'Draft: {"a": 1}\nFinal: {"a": 2}'],
    ['a correction', '{"a": 1}\nWait, that is wrong:\n{"a": 2}'],
    ['fences', 'Example:\n```json\n{"a": 1}\n```\nAnswer:\n```json\n{"a": 2}\n```\nDone.'],
    ['an answer that needs a repair', 'Draft: {"a": 1}\nFinal: {"a": 2,}'],
    ['a draft that needs a repair', "Draft: {'a': 1}\nFinal: {\"a\": 2}"],
    ['a draft that is cut off', 'Draft: {"a": "one\n{"a": 2}'],
    ['a note', '{"a": 2}\nNote: {"source": "lamp"} and [1].'],
    ['three values', '[{"a": 0}] {"a": 1} {"a": 2}'],
    ['JSON lines', '{"a": 1}\n{"a": 2}'],
  ])('takes the last value that fits among %s', (_name, text) => {
    expect(readValue(text, SCHEMA)).toMatchObject({ valid: true, value: { a: 2 } });
  });

  it('takes the last scalar of several fences', () => {
    const text = 'Draft:\n```\n1\n```\nFinal:\n```\n2\n```';
    expect(readValue(text, compileSchema({ type: 'integer' }))).toMatchObject({ value: 2 });
  });

  it.each<[string, string]>([
    ['a draft before an answer that is cut off', 'Draft: {"a": 1}\nFinal: {"a": "lam'],
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
