import { fc } from '../../test/support/properties.js';
import { ExactNumber } from './exact-json.js';
import { parseJson, printJson } from './exact-json.js';
import { JsonBoundError, JsonSyntaxError, readJson } from './read-json.js';

/** Number of runs per property. JSON_RUNS=100000 makes a long test. */
const RUNS = Number(process.env['JSON_RUNS'] ?? '2000');

describe('readJson', () => {
  /** JSON texts, some with one changed character. */
  const texts = fc.oneof(
    fc.json({ maxDepth: 6 }),
    fc
      .tuple(
        fc.oneof(
          fc.json(),
          fc.constantFrom('{"a":[1.5e3,-0,true,false,null,"\\u00fc\\n"]}', '[12345678901234567890]'),
        ),
        fc.nat(),
        fc.constantFrom(...Array.from(' {}[]",:\\u0019-+.eEtfn\u0001\u2028')),
        fc.nat(2),
      )
      .map(([text, where, character, removed]) => {
        const at = where % (text.length + 1);
        return text.slice(0, at) + character + text.slice(at + removed);
      }),
    fc.string({ unit: fc.constantFrom(...Array.from('{}[]",:\\u01.eE-+ tfnrulase\n\t')) }),
  );

  it('accepts and rejects the same texts as JSON.parse, at the same position', async () => {
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        expect(await outcomeOf(() => readJson(text))).toEqual(
          await outcomeOf(() => Promise.resolve(parseJson(text)), text),
        );
      }),
      { numRuns: RUNS },
    );
  });

  it('keeps every digit of a number', async () => {
    const written = '[9007199254740993,-0.1000000000000000055,1e400,0.1,1e3]';
    const read = await readJson(written);
    expect(read).toEqual(parseJson(written));
    expect((read as unknown[])[2]).toEqual(new ExactNumber('1e400'));
  });

  it('treats __proto__ as an ordinary key and keeps the last of equal keys', async () => {
    const read = (await readJson('{"__proto__":{"a":1},"b":1,"2":1,"b":2,"__proto__":[]}')) as object;
    expect(printJson(read)).toBe('{"2":1,"__proto__":[],"b":2}');
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
  });

  it.each(['x', 'ü', '\\n', '\\u00fc', '\\\\', '😀', '\\"'])(
    'reads a long string of %s, wherever its pieces end',
    async (character) => {
      for (let before = 0; before < 7; before += 1) {
        const text = `["${'a'.repeat(before)}${character.repeat(200_000)}"]`;
        expect(((await readJson(text)) as string[])[0] === (JSON.parse(text) as string[])[0]).toBe(true);
      }
    },
  );

  it.each([
    ['values', '['.concat('0,'.repeat(49_998), '0]'), '['.concat('0,'.repeat(49_999), '0]'), 99_999],
    ['levels', '['.repeat(512).concat(']'.repeat(512)), '['.repeat(513).concat(']'.repeat(513)), 512],
    ['unclosed levels', null, '['.repeat(1_000_000), 512],
    ['digits', '1'.repeat(1_000), '1'.repeat(1_000_000), 0],
  ])('limits %s', async (_what, accepted, refused, position) => {
    if (accepted !== null) expect(await readJson(accepted)).toEqual(parseJson(accepted));
    const error: unknown = await readJson(refused).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(JsonBoundError);
    expect(error).toMatchObject({ position });
  });

  it.each([
    ['a long string', `"${'\\n'.repeat(4_000_000)}"`],
    ['much whitespace', `1${' '.repeat(8_000_000)}`],
    ['many values', `[${'{"a":"b"},'.repeat(24_000)}0]`],
  ])('yields to the event loop during %s', async (_what, text) => {
    let turns = 0;
    const count = setInterval(() => (turns += 1), 0);
    await readJson(text);
    clearInterval(count);
    expect(turns).toBeGreaterThan(0);
  });
});

/** Returns the value, or the position of the syntax error. */
async function outcomeOf(read: () => Promise<unknown>, text = ''): Promise<unknown> {
  try {
    return { value: await Promise.resolve().then(read) };
  } catch (error) {
    if (error instanceof JsonSyntaxError) return { position: error.position };
    const stated = / at position (\d+)/.exec(String(error))?.[1];
    if (stated !== undefined) {
      const inWord = /Unexpected (number|string)/.test(String(error));
      return { position: Number(stated) - (inWord ? begunWord(text.slice(0, Number(stated))) : 0) };
    }
    if (/Unexpected end/.test(String(error))) return { position: text.length };
    return { position: expect.any(Number) as unknown };
  }
}

/** Returns the length of a truncated word at the end of a text. readJson reports a misspelt word at its first letter. */
function begunWord(text: string): number {
  return /(?<![a-z])(?:t|tr|tru|f|fa|fal|fals|n|nu|nul)$/.exec(text)?.[0].length ?? 0;
}
