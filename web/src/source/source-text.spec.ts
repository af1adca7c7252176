import type { AnswerNode } from '../ask/answer-tree.js';
import { formOf, partAround, sourceTree, unwrapped } from './source-text.js';

/** The tree as markup. */
function shown(nodes: readonly AnswerNode[]): string {
  return nodes
    .map((node) => {
      if (typeof node === 'string') return node;
      return 'tag' in node ? `<${node.tag}>${shown(node.children)}</${node.tag}>` : '';
    })
    .join('');
}

describe('the text of a source', () => {
  it.each([
    ['text/markdown', 'text/html', 'markdown'],
    ['text/plain', 'application/pdf', 'wrapped lines'],
    ['text/plain', 'text/plain', 'plain'],
    ['text/x-python', 'text/x-python', 'code'],
  ])('of type %s, read from %s, is %s', (textType, contentType, form) => {
    expect(formOf(textType, contentType)).toBe(form);
  });

  it('is rendered Markdown, with a quotation marked across its markup', () => {
    expect(
      sourceTree(
        'It **was washed** in spring.\n\n| a | b |\n|-|-|\n| 12 | Lamp |',
        'markdown',
        'was washed in spring',
      ),
    ).toEqual(expect.anything());
    expect(shown(sourceTree('It **was washed** in spring.', 'markdown', '**was washed** in spring.'))).toBe(
      '<p>It <strong><mark>was washed</mark></strong> <mark>in spring.</mark></p>',
    );
    expect(shown(sourceTree('|a|b|\n|-|-|\n|12|The lamp|', 'markdown', '| 12 | The lamp |'))).toContain(
      '<td><mark>12</mark></td><td><mark>The lamp</mark></td>',
    );
  });

  it('is unchanged code', () => {
    expect(shown(sourceTree('if a:\n  light()', 'code', 'light()'))).toBe(
      '<pre><code>if a:\n  <mark>light()</mark></code></pre>',
    );
  });

  it('has the quotation marked across joined lines', () => {
    const text = `${'word '.repeat(12)}begins\nhere and ends.\n\nNext.`;
    expect(shown(sourceTree(text, 'wrapped lines', 'begins\nhere and ends.'))).toContain(
      '<mark>begins here and ends.</mark></p><p>Next.</p>',
    );
  });

  it('has no mark without the quotation', () => {
    expect(shown(sourceTree('One.', 'plain', 'Other words altogether.'))).toBe('<p>One.</p>');
    expect(shown(sourceTree('One.', 'plain', null))).toBe('<p>One.</p>');
  });
});

describe('wrapped lines', () => {
  const full = 'A line of a page that is as wide as the others are';
  it.each([
    ['are joined', `${full}\n${full}\nand its end.`, `${full} ${full} and its end.`],
    ['are joined after a hyphen', `${full} exam-\nple`, `${full} exam-ple`],
    ['that are short stay', 'Lectern\nA street 1\nA town', 'Lectern\nA street 1\nA town'],
    ['of a table stay', `${full}\nLamp  12  13\n${full}`, `${full}\nLamp  12  13\n${full}`],
    ['of a list stay', `${full}\n• ${full}\n2. ${full}`, `${full}\n• ${full}\n2. ${full}`],
  ])('%s', (_, paragraph, expected) => {
    expect(unwrapped(paragraph)).toBe(expected);
  });
});

describe('a long text', () => {
  it('is shown around the passage', () => {
    const text = 'A paragraph.\n\n'.repeat(10_000);
    const part = partAround(text, { start: 100_000, end: 100_010 });
    expect(part.end - part.start).toBeLessThanOrEqual(60_000);
    expect(text.slice(part.start, part.start + 12)).toBe('A paragraph.');
    expect([part.start < 100_000, part.end > 100_010]).toEqual([true, true]);
    expect(partAround('short', null)).toEqual({ start: 0, end: 5 });
    expect(partAround(text, null).start).toBe(0);
  });
});
