import { scopeOf } from '../auth/scope.js';
import type { ScoredChunk } from '../chunks/chunk.js';
import type { PageRow } from './page.js';
import type { PageRepository } from './page.repository.js';
import { isPage, withTheirPages } from './page-matches.js';

const SCOPE = scopeOf('acme', ['read'], 'test');
const REPORT = '8f14e45f-ceea-467f-9a0c-1c1e3b1f2d4a';
const LETTER = '1f0e3dad-9990-4345-b743-9f8ffabdffc4';

const passage = (documentId: string, pageNumber: number | null, score: number, content = ''): ScoredChunk =>
  ({
    document_id: documentId,
    page_number: pageNumber,
    score,
    content,
    chunk_number: 0,
    overlap: null,
  }) as unknown as ScoredChunk;
const page = (documentId: string, pageNumber: number, content = ''): PageRow =>
  ({ document_id: documentId, page_number: pageNumber, content, object_key: `${pageNumber}.png` }) as PageRow;

/** A repository that returns the stored pages in the requested ranges. */
const over = (stored: readonly PageRow[]): PageRepository =>
  ({
    within: (_scope, _selection, ranges) =>
      Promise.resolve(
        stored.filter((one) =>
          ranges.some(
            ({ documentId, first, last }) =>
              one.document_id === documentId && first <= one.page_number && one.page_number <= last,
          ),
        ),
      ),
  }) as Pick<PageRepository, 'within'> as PageRepository;

const shown = async (stored: readonly PageRow[], passages: readonly ScoredChunk[], question = '') =>
  (await withTheirPages(over(stored), SCOPE, question, passages)).map((match) => [
    isPage(match) ? 'page' : 'passage',
    match.document_id,
    match.page_number,
    match.score,
  ]);

describe('withTheirPages', () => {
  it('replaces passages by their page once, with rank and score of the best passage', async () => {
    const stored = [page(REPORT, 1), page(REPORT, 2)];
    const passages = [
      passage(REPORT, 2, 0.9),
      passage(LETTER, null, 0.8),
      passage(REPORT, 2, 0.7),
      passage(REPORT, 1, 0.6),
    ];
    expect(await shown(stored, passages)).toEqual([
      ['page', REPORT, 2, 0.9],
      ['passage', LETTER, null, 0.8],
      ['page', REPORT, 1, 0.6],
    ]);
  });

  it('chooses the page with more words of the question for a passage on two pages', async () => {
    const stored = [page(REPORT, 1), page(REPORT, 2)];
    const repeated = 'The tower has eleven windows. ';
    const one = {
      ...passage(REPORT, 2, 0.9, `${repeated}The keeper is paid nine guineas a month.`),
      overlap: { length: repeated.length, pageNumber: 1 },
    };
    expect(await shown(stored, [one], 'How many windows?')).toEqual([['page', REPORT, 1, 0.9]]);
    expect(await shown(stored, [one], 'How much is the keeper paid?')).toEqual([['page', REPORT, 2, 0.9]]);
    expect(await shown(stored, [one], 'Who sounds the horn?')).toEqual([['page', REPORT, 2, 0.9]]);
    expect(await shown([stored[1]!], [one], 'How many windows?')).toEqual([['passage', REPORT, 2, 0.9]]);
  });

  it('keeps a passage whose page has no image', async () => {
    expect(await shown([page(REPORT, 1)], [passage(REPORT, 2, 0.9)])).toEqual([['passage', REPORT, 2, 0.9]]);
  });

  it('chooses the page with the most common words for a passage without a page number', async () => {
    const stored = [
      page(LETTER, 1, 'Dear Sir, the roof leaks'),
      page(LETTER, 2, 'The gutter was mended in May, the roof in June'),
      page(LETTER, 3, 'Yours'),
    ];
    const passages = [
      passage(LETTER, null, 0.9, 'The roof was mended in June.'),
      passage(LETTER, null, 0.8, 'Nowhere to be read'),
    ];
    expect(await shown(stored, passages)).toEqual([
      ['page', LETTER, 2, 0.9],
      ['passage', LETTER, null, 0.8],
    ]);
  });
});
