import { fc } from '../../../test/support/properties.js';
import { BytePairTokenizer } from '../tokenizers/byte-pair.js';
import type { Piece } from './piece.js';
import { split } from './split.js';
import { WordPieceTokenizer } from '../tokenizers/word-piece.js';

const counters = {
  'word-piece': new WordPieceTokenizer('models/all-MiniLM-L6-v2'),
  'byte-pair': new BytePairTokenizer(),
} as const;
const counter = counters['word-piece'];
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

const contents = (text: string, pieces: readonly Piece[]): string[] =>
  pieces.map(({ start, end }) => text.slice(start, end));
const bodies = (text: string, pieces: readonly Piece[]): string[] =>
  pieces.map(({ bodyStart, end }) => text.slice(bodyStart, end));
const sentence = (n: number): string =>
  `Sentence number ${n} says that the heron waits near the quiet river. `;
const prose = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, i) => sentence(from + i)).join('');

describe('split', () => {
  it('keeps a short text whole', () => {
    const text = 'One sentence.';
    expect(split(text, { counter, size: 254, overlap: 54 })).toEqual([
      { start: 0, end: 13, bodyStart: 0, pageNumber: null, tokens: counter.count(text) },
    ]);
  });

  it('returns no chunks for a blank text', () => {
    expect(split(' \n\t\n ', { counter, size: 254, overlap: 54 })).toEqual([]);
  });

  it('repeats whole sentences of the previous chunk', () => {
    const text = prose(0, 60);
    const pieces = split(text, { counter, size: 100, overlap: 40 });
    for (const { start, bodyStart } of pieces.slice(1)) {
      expect(text.slice(start, bodyStart)).toMatch(/^(Sentence number \d+ [^.]+\. )+$/);
      expect(counter.count(text.slice(start, bodyStart))).toBeLessThanOrEqual(40);
    }
  });

  it('splits at the end of a paragraph rather than inside it', () => {
    const paragraphs = [prose(0, 3), prose(3, 6), prose(6, 9)].map((p) => p.trim());
    const text = paragraphs.join('\n\n');
    const size = counter.count(paragraphs[0]!) + 20;
    expect(bodies(text, split(text, { counter, size, overlap: 0 })).map((b) => b.trim())).toEqual(paragraphs);
  });

  it('starts a section with its heading, without overlap', () => {
    const text = `# Herons\n\n${prose(0, 5)}\n\n## Food\n\n${prose(5, 10)}`;
    const pieces = split(text, { counter, size: 100, overlap: 30 });
    const food = pieces.find((piece) => text.startsWith('## Food', piece.bodyStart));
    expect(food?.start).toBe(food?.bodyStart);
    expect(bodies(text, pieces).some((body) => /# \w+\s*$/.test(body))).toBe(false);
  });

  it('keeps table rows whole, and the header with the first row', () => {
    const rows = Array.from({ length: 40 }, (_, i) => `| Heron ${i} | ${i * 7} | river bank |\n`);
    const text = `| Bird | Count | Place |\n| --- | --- | --- |\n${rows.join('')}`;
    const parts = bodies(text, split(text, { counter, size: 120, overlap: 0 }));
    expect(parts.length).toBeGreaterThan(2);
    expect(parts[0]).toMatch(/^\| Bird .*\n\| ---.*\n\| Heron 0 /);
    for (const part of parts) expect(part).toMatch(/^(\|.*\|\n)+$/);
  });

  it('keeps a list item whole', () => {
    const items = Array.from({ length: 30 }, (_, i) => `- ${sentence(i).trim()}\n`);
    const text = items.join('');
    for (const part of bodies(text, split(text, { counter, size: 90, overlap: 0 }))) {
      expect(part).toMatch(/^(- Sentence .*\.\n)+$/);
    }
  });

  it('splits source code at blank lines between blocks', () => {
    const block = (n: number): string =>
      `function heron${n}(river) {\n  const depth = river.depth + ${n};\n\n  return depth * ${n};\n}\n\n`;
    const text = Array.from({ length: 20 }, (_, n) => block(n)).join('');
    const pieces = split(text, { counter, size: 120, overlap: 0, contentType: 'text/javascript' });
    expect(pieces.length).toBeGreaterThan(3);
    for (const part of bodies(text, pieces)) expect(part).toMatch(/^function/);
  });

  it('never mixes pages in one body, and records the page where the body starts', () => {
    const pageTexts = [prose(0, 8), 'A short second page.\n\n', prose(8, 9)];
    const text = pageTexts.join('');
    let start = 0;
    const pages = pageTexts.map((page, i) => ({ pageNumber: i + 1, start, end: (start += page.length) }));
    const pieces = split(text, { counter, size: 60, overlap: 20, pages });
    for (const { bodyStart, end, pageNumber } of pieces) {
      const page = pages[pageNumber! - 1]!;
      expect([bodyStart >= page.start, end <= page.end]).toEqual([true, true]);
    }
    expect(new Set(pieces.map(({ pageNumber }) => pageNumber))).toEqual(new Set([1, 2, 3]));
  });

  it.each([0, 1, 2])(
    'repeats only the end of the previous body, with %i blank pages between pages',
    (blanks) => {
      const pageTexts = [0, 1, 2].flatMap((n) => [
        prose(n * 8, n * 8 + 8),
        ...Array<string>(blanks).fill('\n \n'),
      ]);
      const text = pageTexts.join('');
      let start = 0;
      const pages = pageTexts.map((page, i) => ({ pageNumber: i + 1, start, end: (start += page.length) }));
      const pieces = split(text, { counter, size: 60, overlap: 30, pages });
      const repeating = pieces.slice(1).filter((piece, at) => pieces[at]!.pageNumber !== piece.pageNumber);
      expect(repeating.every((piece) => piece.start < piece.bodyStart)).toBe(true);
      expect(repeating.map(({ pageNumber }) => pageNumber)).toEqual([2 + blanks, 3 + 2 * blanks]);
      for (const [at, piece] of pieces.slice(1).entries()) {
        expect(piece.start).toBeGreaterThanOrEqual(pieces[at]!.bodyStart);
      }
    },
  );

  it('records the page of the first word after a blank page', () => {
    const pages = [
      { pageNumber: 1, start: 0, end: 4 },
      { pageNumber: 2, start: 4, end: 17 },
    ];
    const pieces = split('\n\n\n\nThe first word.', { counter, size: 60, overlap: 0, pages });
    expect(pieces.map(({ bodyStart, pageNumber }) => [bodyStart, pageNumber])).toEqual([[0, 2]]);
  });

  it('attaches a blank page to the previous page', () => {
    const text = 'First page.\n\n   \n\nThird page.';
    const pages = [
      { pageNumber: 1, start: 0, end: 11 },
      { pageNumber: 2, start: 13, end: 16 },
      { pageNumber: 3, start: 18, end: 29 },
    ];
    const pieces = split(text, { counter, size: 60, overlap: 0, pages });
    expect(pieces.map(({ bodyStart, pageNumber }) => [bodyStart, pageNumber])).toEqual([
      [0, 1],
      [18, 3],
    ]);
  });

  it('leaves no tiny chunk at the end', () => {
    for (let sentences = 8; sentences < 40; sentences += 1) {
      const text = prose(0, sentences);
      const pieces = split(text, { counter, size: 100, overlap: 20 });
      const last = pieces.at(-1)!;
      expect(counter.count(text.slice(last.bodyStart, last.end))).toBeGreaterThanOrEqual(20);
    }
  });

  it('splits an appended tail alone, with its overlap', () => {
    const text = prose(0, 30);
    const options = { counter, size: 100, overlap: 40 };
    const last = split(text, options).at(-1)!;
    const tail = `${text.slice(last.start)}\n\n${prose(30, 50)}`;
    const pieces = split(tail, { ...options, lead: last.bodyStart - last.start });
    expect(pieces[0]!.bodyStart).toBe(last.bodyStart - last.start);
    expect(pieces[0]!.start).toBe(0);
    expect(bodies(tail, pieces).join('')).toBe(tail.slice(last.bodyStart - last.start));
  });

  it('does not split words of a script without spaces if they fit', () => {
    const text = '鹭在安静的河边等待着早晨的第一条鱼'.repeat(60);
    const words = new Intl.Segmenter('en', { granularity: 'word' });
    const starts = new Set(Array.from(words.segment(text), ({ index }) => index));
    const pieces = split(text, { counter, size: 100, overlap: 20 });
    expect(pieces.length).toBeGreaterThan(5);
    for (const { bodyStart } of pieces) expect(starts.has(bodyStart)).toBe(true);
  });

  it('limits chunks of text without tokens', () => {
    const text = 'x'.repeat(100_000);
    for (const piece of split(text, { counter, size: 254, overlap: 54 })) {
      expect(piece.end - piece.start).toBeLessThanOrEqual(254 * 16 * 1.5);
    }
  });

  describe('for any text', () => {
    const fragment = fc.oneof(
      fc.lorem({ maxCount: 8, mode: 'sentences' }),
      fc.string({ unit: 'grapheme', maxLength: 40 }),
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.constantFrom(
        '\n',
        '\n\n',
        '\r\n',
        ' ',
        '\t',
        '# Title\n',
        '- item ',
        '| a | b |\n',
        '```\n',
        '。',
        '!؟',
      ),
      fc.constantFrom(
        '👩‍👩‍👧‍👦',
        '🇩🇪🇫🇷',
        'e\u0301\u0302',
        'नमस्ते',
        'ภาษาไทย',
        '가나다',
        'ß',
        'x'.repeat(300),
        ' '.repeat(500),
      ),
    );
    const anyText = fc
      .array(fragment, { maxLength: 40 })
      .map((parts) => parts.join('').replace(/\p{Surrogate}/gu, '?'));
    const budgets = fc
      .integer({ min: 16, max: 120 })
      .chain((size) =>
        fc.record({ size: fc.constant(size), overlap: fc.integer({ min: 0, max: Math.floor(size / 2) }) }),
      );
    const names = fc.constantFrom('word-piece' as const, 'byte-pair' as const);
    const types = fc.constantFrom('text/plain', 'text/markdown', 'text/x-python');

    it('covers the text within the token limit, on grapheme boundaries, without blank chunks', () => {
      fc.assert(
        fc.property(anyText, budgets, names, types, (text, budget, name, contentType) => {
          const pieces = split(text, { counter: counters[name], ...budget, contentType });
          const boundaries = new Set(Array.from(graphemes.segment(text), ({ index }) => index)).add(
            text.length,
          );
          expect(bodies(text, pieces).join('')).toBe(text.trim() === '' ? '' : text);
          for (const piece of pieces) {
            const content = text.slice(piece.start, piece.end);
            expect(piece.start).toBeLessThanOrEqual(piece.bodyStart);
            expect(piece.tokens).toBe(counters[name].count(content));
            expect(piece.tokens).toBeLessThanOrEqual(budget.size);
            expect(text.slice(piece.bodyStart, piece.end).trim()).not.toBe('');
            expect([boundaries.has(piece.start), boundaries.has(piece.end)]).toEqual([true, true]);
          }
        }),
        { numRuns: 400 },
      );
    });

    it('keeps pages apart', () => {
      fc.assert(
        fc.property(fc.array(anyText, { maxLength: 6 }), budgets, (texts, budget) => {
          const text = texts.join('');
          let end = 0;
          const pages = texts.map((page, i) => ({
            pageNumber: i + 1,
            start: end,
            end: (end += page.length),
          }));
          const pieces = split(text, { counter, ...budget, pages });
          expect(bodies(text, pieces).join('')).toBe(text.trim() === '' ? '' : text);
          for (const [at, { start, bodyStart, end: pieceEnd, pageNumber }] of pieces.entries()) {
            const page = pages[pageNumber! - 1]!;
            expect(text.slice(bodyStart, page.start).trim()).toBe('');
            expect(text.slice(page.end, pieceEnd).trim()).toBe('');
            expect(start).toBeGreaterThanOrEqual(pieces[at - 1]?.bodyStart ?? 0);
          }
        }),
        { numRuns: 200 },
      );
    });
  });

  it('splits a grapheme cluster only if it exceeds a whole chunk', () => {
    const text = `a${'\u0301'.repeat(5_000)} b`;
    const pieces = split(text, { counter: counters['byte-pair'], size: 32, overlap: 0 });
    expect(contents(text, pieces).join('')).toBe(text);
    for (const { tokens } of pieces) expect(tokens).toBeLessThanOrEqual(32);
  });
});
