import { chunkOf } from '../../../test/support/chunks.js';
import { withoutNearDuplicates } from './context-budget.js';

const distinct = async (...contents: string[]): Promise<string[]> => {
  const kept = await withoutNearDuplicates(contents.map((content) => chunkOf({ content })));
  return kept.map(({ content }) => content);
};

const PAGE = Array.from(
  { length: 60 },
  (_, n) => `gull ${String.fromCharCode(97 + (n % 26))}${'o'.repeat(n % 7)} sits`,
).join(' ');

describe('near-duplicates among chunks', () => {
  it('have the same words, regardless of case, spaces and punctuation; the first one is kept', async () => {
    expect(await distinct('The quay is closed.', 'Other', ' the  QUAY\nis closed', 'Other!')).toEqual([
      'The quay is closed.',
      'Other',
    ]);
  });

  it('have nearly the same words', async () => {
    expect(await distinct(PAGE, `${PAGE} indeed`, `Indeed, ${PAGE}`)).toEqual([PAGE]);
  });

  it('do not differ in a number, or in more than a few words', async () => {
    const contents = [
      `${PAGE} in 2021`,
      `${PAGE} in 2022`,
      `${PAGE} ${PAGE.slice(0, 200)}`.replace('gull', 'tern'),
    ];
    expect(await distinct(...contents)).toEqual(contents);
    expect(await distinct('The pump is closed.', 'The pump is not closed.')).toHaveLength(2);
  });

  it('exclude images, and texts without words unless they are identical', async () => {
    expect(await distinct('保修期为两年', '保修期为三年', '')).toHaveLength(3);
    const image = chunkOf({ content: 'data:image/png;base64,AAAA', imageKey: 'page.png' });
    expect(await withoutNearDuplicates([image, image])).toHaveLength(2);
  });

  it('include passages of a page that is present as text', async () => {
    const page = chunkOf({ content: 'A lamp. An oar.', imageKey: 'page.png', pageNumber: 2 });
    const blank = chunkOf({ content: '', imageKey: 'blank.png', pageNumber: 4 });
    const passages = [2, 3, 4, null].map((pageNumber, n) => chunkOf({ content: `An oar ${n}.`, pageNumber }));
    const other = chunkOf({ content: 'An oar 5.', pageNumber: 2, documentId: 'other' });
    const all = [passages[0]!, page, blank, ...passages, other];
    const kept = await withoutNearDuplicates(all, { pagesAsText: true });
    expect(kept).toEqual([passages[0], page, blank, ...passages.slice(1), other]);
    expect(await withoutNearDuplicates([page, passages[0]!])).toHaveLength(2);
  });

  it('are found among a thousand chunks with mostly common words', async () => {
    const contents = Array.from(
      { length: 1_000 },
      (_, n) => `${PAGE} at berth ${'x'.repeat(1 + (n % 500))}y`,
    );
    expect(await distinct(...contents)).toHaveLength(1);
    const numbered = contents.map((content, n) => `${content} ${n % 500}`);
    expect(await distinct(...numbered)).toHaveLength(500);
  });
});
