import { fc } from '../../../test/support/properties.js';
import { embeddedText, printContext, outlineOf } from './outline.js';
import { ContextFinder, titleContext } from './context.js';
import type { TokenCounter } from './piece.js';
import { split } from './split.js';
import { BYTE_PAIR, loadTokenizer } from '../tokenizers/load-tokenizer.js';

describe('the context of a chunk', () => {
  let counters: Record<'word-piece' | 'byte-pair', TokenCounter>;
  beforeAll(async () => {
    counters = {
      'word-piece': await loadTokenizer({ kind: 'word-piece', folder: 'models/all-MiniLM-L6-v2' }),
      'byte-pair': await loadTokenizer(BYTE_PAIR),
    };
  });

  const TOKENS = 40;
  const chunksOf = (
    text: string,
    { title = null as string | null, size = 60, contentType = 'text/markdown' } = {},
  ): { context: string; content: string }[] => {
    const counter = counters['word-piece'];
    const finder = new ContextFinder(text, outlineOf(text, contentType), title, { counter, tokens: TOKENS });
    return split(text, { counter, size, overlap: 0, contentType }).map((piece) => ({
      context: printContext(finder.contextOf(piece)),
      content: text.slice(piece.start, piece.end),
    }));
  };
  const sentences = (n: number): string => 'The gulls sit on the harbour wall and wait. '.repeat(n);

  it('contains the title and the headings above the chunk', () => {
    const text = `# Birds\n\n${sentences(9)}\n\n## Gulls\n\n${sentences(9)}\n\n# Fish\n\n${sentences(9)}`;
    const contexts = chunksOf(text, { title: 'Handbook' }).map(({ context }) => context);
    expect([...new Set(contexts)]).toEqual([
      'Handbook',
      'Handbook\n# Birds',
      'Handbook\n# Birds\n## Gulls',
      'Handbook\n# Fish',
    ]);
  });

  it('contains underlined headings, but no comments of the front matter', () => {
    const matter = '---\ntitle: Handbook\n# draft\n---\n\n';
    const text = `${matter}Birds\n=====\n\n${sentences(9)}\n\nGulls\n-----\n${sentences(9)}`;
    expect(chunksOf(text).at(-1)?.context).toBe('# Birds\n## Gulls');
  });

  it('does not repeat a title that the chunk or a heading contains', () => {
    const [first, ...others] = chunksOf(`# Birds\n\n${sentences(20)}`, { title: 'Birds' });
    expect(first?.context).toBe('');
    expect(new Set(others.map(({ context }) => context))).toEqual(new Set(['Birds']));
  });

  it('contains no headings from comments in code', () => {
    const text = `# not a heading\n${'print(1)\n'.repeat(60)}`;
    const contexts = chunksOf(text, { title: 'tool', contentType: 'text/x-python' });
    expect(new Set(contexts.map(({ context }) => context))).toEqual(new Set(['tool']));
  });

  it('contains caption and header of the table, in every chunk but the first', () => {
    const rows = Array.from({ length: 60 }, (_, n) => `| Port ${n} | ${n * 7} | ${n % 2} |`).join('\n');
    const text = `Ships by port:\n\n| Port | Ships | Closed |\n| --- | --- | --- |\n${rows}\n\n${sentences(9)}`;
    const chunks = chunksOf(text).filter(({ content }) => content.startsWith('| Port'));
    expect(chunks.length).toBeGreaterThan(5);
    for (const { context, content } of chunks.slice(1)) {
      expect(context).toBe('| Ships by port:\n| Port | Ships | Closed');
      expect(content).not.toContain('Closed');
    }
    expect(chunksOf(text).at(-1)?.context).toBe('');
  });

  it('contains the header of a table without outer pipes, whose rows stay whole', () => {
    const rows = Array.from(
      { length: 60 },
      (_, n) => `Port ${n} e.g. one. With a name | ${n * 7} | ${n % 2}`,
    );
    const text = `Ships by port:\nPort | Ships | Closed\n--- | :---: | ---\n${rows.join('\n')}\n\nGulls | terns`;
    const chunks = chunksOf(text);
    expect(chunks.length).toBeGreaterThan(5);
    for (const { context, content } of chunks.slice(1, -1)) {
      expect(context).toBe('| Ships by port:\n| Port | Ships | Closed');
      expect(
        content
          .trimEnd()
          .split('\n')
          .every((line) => rows.includes(line)),
      ).toBe(true);
    }
    expect(outlineOf('Gulls | terns\nauks | skuas\n').tables).toEqual([]);
    const table = { caption: [], header: ['Port', 'Ships', 'Closed'] };
    expect(outlineOf(`${rows[1]}\n${rows[2]}\n`, 'text/markdown', table).tables).toMatchObject([table]);
  });

  it('contains the last columns of a long header', () => {
    for (let width = 3; width < 20; width += 1) {
      const cells = Array.from({ length: 400 }, (_, n) => String(n).padStart(width, 'c'));
      const text = `| ${cells.join(' | ')} |\n${'| --- '.repeat(400)}|\n${'| 1 '.repeat(400)}|\n`;
      const [table] = outlineOf(text, 'text/markdown').tables;
      const header = table?.header.join(' | ');
      expect(header).toMatch(/^… \| c*\d+ \| .*399$/);
      expect(header?.length).toBeLessThanOrEqual(1_002);
    }
  });

  it('does not use a row as the header without a delimiter row', () => {
    const rows = Array.from({ length: 60 }, (_, n) => `| thing ${n} | ${n} crowns and more |`).join('\n');
    const contexts = (text: string): Set<string> =>
      new Set(
        chunksOf(text)
          .slice(1)
          .map(({ context }) => context),
      );
    expect(contexts(rows)).toEqual(new Set(['']));
    expect(contexts(`Prices:\n${rows}`)).toEqual(new Set(['| Prices:']));
    expect(contexts(`| A | B |\n|-|-|\n| - | - |\n${rows}`)).toEqual(new Set(['| A | B']));
  });

  it('contains the lines above the figures of a table without rules', () => {
    const rows = Array.from({ length: 60 }, (_, n) => `Revenue of port ${n}  $ ${n},100  ${n * 3}.5`).join(
      '\n',
    );
    const text = `${sentences(5)}\n\nSTATEMENT OF INCOME\n\nYear ended June 30,\n2021  2022\n${rows}`;
    const chunks = chunksOf(text, { contentType: 'text/plain' });
    expect(chunks.at(-1)?.context).toBe('| STATEMENT OF INCOME\n| Year ended June 30,\n| 2021 | 2022');
  });

  it('recognises a line of years as the header of a table without rules', () => {
    const rows = Array.from({ length: 60 }, (_, n) => `Port ${n}  $ ${n},100 $ ${n * 3}`).join('\n');
    const contexts = chunksOf(`Ships\n\n(in millions)  2022  2021\n${rows}`).map(({ context }) => context);
    expect(contexts.at(-1)).toBe('| Ships\n| (in millions) | 2022 | 2021');
  });

  it('contains the last columns of a long header', () => {
    for (const columns of [40, 4_000]) {
      const names = Array.from({ length: columns }, (_, n) => `Column ${n}`).join(' | ');
      const text = `| ${names} |\n|${' --- |'.repeat(columns)}\n${'| 1 | 2 |\n'.repeat(60)}`;
      const { context } = chunksOf(text).at(-1)!;
      expect(context).toMatch(new RegExp(`^\\| …(?: \\| Column \\d+){2,} \\| Column ${columns - 1}$`));
    }
  });

  it('does not split rows that fit into a chunk', () => {
    const cell = fc.lorem({ maxCount: 3 }).map((words) => words.replace(/[|\n]/g, ''));
    const row = fc.array(cell, { minLength: 3, maxLength: 5 }).map((cells) => `| ${cells.join(' | ')} |`);
    fc.assert(
      fc.property(fc.array(row, { minLength: 3, maxLength: 40 }), (rows) => {
        const text = [rows[0], '| --- | --- | --- |', ...rows.slice(1)].join('\n');
        for (const { content } of chunksOf(text, { size: 128 })) {
          for (const line of content.trimEnd().split('\n')) expect(line).toMatch(/^\|.*\|$/);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('stays within its token limit: headings are truncated on the left, the title on the right', () => {
    const title = 'A very long title '.repeat(20).trim();
    const headings = Array.from(
      { length: 6 },
      (_, n) => `${'#'.repeat(n + 1)} Section ${'word '.repeat(8)}${n}`,
    );
    const text = `${headings.join('\n\n')}\n\n${sentences(20)}`;
    const { context } = chunksOf(text, { title }).at(-1)!;
    expect(counters['word-piece'].count(context)).toBeLessThanOrEqual(TOKENS);
    expect(context).toMatch(/^A very long title .*\n###### .*5$/s);
    expect(context).not.toContain('# Section word word word word word word word word 0\n');
  });

  it('keeps whole cells of a truncated table header, after an ellipsis', () => {
    const names = Array.from({ length: 30 }, (_, n) => `Column ${n}`);
    for (let tokens = 10; tokens < 60; tokens += 1) {
      const budget = { counter: counters['word-piece'], tokens };
      const table = { caption: [], header: names, start: 0, end: 9 };
      const finder = new ContextFinder('Text.', { headings: [], tables: [table] }, null, budget);
      const context = finder.contextOf({ start: 0, bodyStart: 0 });
      expect(printContext(context)).toMatch(/^\| …(?: \| Column \d+)+$/);
      expect(context.table?.header).toEqual(['…', ...names.slice(1 - (context.table?.header.length ?? 0))]);
    }
  });

  it('is bounded for any text, title and tokenizer', () => {
    const anyLine = fc.oneof(
      fc.lorem(),
      fc.string({ unit: 'grapheme', maxLength: 200 }),
      fc.constant('漢字'.repeat(80)),
    );
    const block = fc.oneof(
      anyLine,
      fc.tuple(fc.integer({ min: 1, max: 6 }), anyLine).map(([n, line]) => `${'#'.repeat(n)} ${line}`),
      fc.array(anyLine, { maxLength: 4 }).map((cells) => `| ${cells.join(' | ')} |`),
      fc.array(anyLine, { maxLength: 4 }).map((cells) => `${cells.join('  ')}  12  14`),
    );
    const names = fc.constantFrom('word-piece' as const, 'byte-pair' as const);
    fc.assert(
      fc.property(fc.array(block, { maxLength: 20 }), anyLine, names, (blocks, title, name) => {
        const text = blocks.join('\n\n');
        const counter = counters[name];
        const budget = { counter, tokens: TOKENS };
        const finder = new ContextFinder(text, outlineOf(text), title, budget);
        for (const piece of split(text, { counter, size: 40, overlap: 8 })) {
          const context = finder.contextOf(piece);
          const content = text.slice(piece.start, piece.end);
          expect(counter.count(embeddedText(context, content)) - counter.count(content)).toBeLessThanOrEqual(
            TOKENS + 2,
          );
          expect(printContext(context)).toBe(printContext(context).trim());
        }
      }),
      { numRuns: 300 },
    );
  });

  it('is the title if nothing else is known, and empty if the chunk contains the title', () => {
    const budget = { counter: counters['word-piece'], tokens: TOKENS };
    expect(titleContext('Text.', 'New', budget)).toEqual({ title: 'New', headings: [], table: null });
    expect(printContext(titleContext('# New\n\nText.', 'New', budget))).toBe('');
    expect(printContext(titleContext('Text.', null, budget))).toBe('');
    expect(printContext(titleContext('Text.', 'New', { ...budget, tokens: 0 }))).toBe('');
  });
});
