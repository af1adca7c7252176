import { fc } from '../../../../test/support/properties.js';
import type { Source } from '../parser.js';
import { parseJson } from './json.js';

async function textOf(text: string, contentType = 'application/json'): Promise<string> {
  const source: Source = {
    bytes: new Uint8Array(),
    text,
    encoding: 'utf-8',
    contentType,
    filename: null,
    onProgress: () => undefined,
    allow: () => undefined,
    office: { convert: () => Promise.reject(new Error('not needed')) },
    parseInner: () => Promise.reject(new Error('not needed')),
  };
  return (await parseJson(source)).text;
}

describe('parseJson', () => {
  it.each([
    ['a letter', String.raw`{ "name": "M\u00fcller" }`, '{ "name": "Müller" }'],
    ['upper-case digits', String.raw`["\u00FC\u706F"]`, '["ü灯"]'],
    ['a name', String.raw`{ "stra\u00dfe": 1 }`, '{ "straße": 1 }'],
    ['a letter beyond the first plane', String.raw`["\ud83d\udea2 \uD842\uDFB7"]`, '["🚢 𠮷"]'],
    ['a solidus', String.raw`["https:\/\/pier.example\/fee"]`, '["https://pier.example/fee"]'],
    [
      'an escaped backslash before a u',
      String.raw`["C:\\u00fc", "\\\u00fc"]`,
      String.raw`["C:\\u00fc", "\\ü"]`,
    ],
    ['a line end and a tabulator', String.raw`["a\nb\tc\u000a"]`, String.raw`["a\nb\tc\u000a"]`],
    ['a quotation mark', String.raw`["\u0022 \" \u005c"]`, String.raw`["\u0022 \" \u005c"]`],
    ['half of a pair', String.raw`["\ud83d \udea2"]`, String.raw`["\ud83d \udea2"]`],
    ['a control character', String.raw`["\u0000\u009f"]`, String.raw`["\u0000\u009f"]`],
  ])('writes %s as it is read', async (_, source, expected) => {
    expect(await textOf(source)).toBe(expected);
    expect(await textOf(`${source}\n${source}\n`, 'application/x-ndjson')).toBe(`${expected}\n${expected}\n`);
  });

  it('decodes escapes in long lines of JSON lines', async () => {
    const line = JSON.stringify({ text: 'x'.repeat(2_000) }).replace('xx', String.raw`\u706f`);
    expect(await textOf(`${line}\n`, 'application/x-ndjson')).toContain('灯x');
  });

  it('decodes escapes in one long line, which is indented', async () => {
    const line = `{"name": "M\\u00fcller", "text": "${'x'.repeat(2_000)}"}`;
    expect(await textOf(line)).toContain('{\n  "name": "Müller",');
  });

  it('changes no value', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 40 }), async (text) => {
        const escaped = JSON.stringify(text).replace(/[^\x20-\x7e]/g, (unit) => {
          return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
        });
        expect(JSON.parse(await textOf(`[${escaped}]`))).toEqual([text]);
      }),
    );
  });
});
