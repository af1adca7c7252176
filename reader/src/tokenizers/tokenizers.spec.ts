import { readFileSync } from 'node:fs';
import { Tokenizer } from '@huggingface/tokenizers';
import { fc } from '../../../test/support/properties.js';
import { BYTE_PAIR, loadTokenizer } from './load-tokenizer.js';
import { UnigramTokenizer } from './unigram.js';
import { WordPieceTokenizer } from './word-piece.js';

const read = (name: string): object =>
  JSON.parse(readFileSync(`models/all-MiniLM-L6-v2/${name}`, 'utf8')) as object;

const MULTILINGUAL = 'models/multilingual-e5-small';

describe('tokenizers', () => {
  it('count word pieces exactly like the tokenizer of the bundled model', async () => {
    const tokenizer = new Tokenizer(read('tokenizer.json'), read('tokenizer_config.json'));
    const counter = await loadTokenizer({ kind: 'word-piece', folder: 'models/all-MiniLM-L6-v2' });
    const text = fc.oneof(
      fc.lorem(),
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: 'binary' }),
      fc
        .array(
          fc.constantFrom(
            'ΟΔΟΣ',
            "'",
            '-',
            ' ',
            '\v',
            '\ufeff',
            '漢字',
            '#12',
            'naïve',
            '\u200b',
            'x'.repeat(120),
            'telecommunicationsqj',
            'zqxj',
            '𝔘𝔫𝔦',
          ),
        )
        .map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(text, (sample) => {
        const { ids } = tokenizer.encode(sample, { add_special_tokens: false });
        expect(counter.count(sample)).toBe(ids.length);
      }),
      { numRuns: 2_000 },
    );
  });

  it('need few vocabulary lookups for a long unknown word', () => {
    let lookups = 0;
    class CountingMap extends Map<string, number> {
      override has(piece: string): boolean {
        lookups += 1;
        return super.has(piece);
      }
    }
    const tokenizer = new Tokenizer(read('tokenizer.json'), read('tokenizer_config.json'));
    const vocabulary = new CountingMap(tokenizer.get_vocab());
    const { normalizer, pre_tokenizer } = tokenizer;
    const encode = jest.fn();
    const counter = new WordPieceTokenizer({
      normalizer,
      pre_tokenizer,
      encode,
      get_vocab: () => vocabulary,
    });
    const word = 'qjxzkv'.repeat(15);
    expect(counter.count(word)).toBe(tokenizer.encode(word, { add_special_tokens: false }).ids.length);
    expect(lookups).toBeLessThan(5 * word.length);
  });

  it('treat the name of a special token as text', async () => {
    expect((await loadTokenizer(BYTE_PAIR)).count('<|endoftext|>')).toBeGreaterThan(1);
  });

  describe('of the multilingual model', () => {
    let tokenizer: UnigramTokenizer;
    beforeAll(() => {
      tokenizer = new UnigramTokenizer(MULTILINGUAL);
    });

    const cases = readFileSync(`${MULTILINGUAL}/tokens.jsonl`, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { text: string; ids: number[] });

    it.each(cases)('reproduce the ids of the reference tokenizer: $text', ({ text, ids }) => {
      expect(tokenizer.encode(text)).toEqual(ids);
      expect(tokenizer.count(text)).toBe(ids.length - 2);
      expect(tokenizer.count(text)).toBe(ids.length - 2); // from the cache
    });

    it('report a character outside the vocabulary as unknown', () => {
      expect(tokenizer.pieces('ᚠᛇᚻ')).toBeNull();
      expect(tokenizer.pieces('harbour')).toBeGreaterThan(0);
    });

    it('split a word of a megabyte', () => {
      const word = 'ab1'.repeat(350_000);
      expect(tokenizer.count(word)).toBeGreaterThan(word.length / 10);
    });
  });
});
