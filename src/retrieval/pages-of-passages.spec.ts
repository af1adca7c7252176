import { scopeOf } from '../auth/scope.js';
import type { ScoredChunk } from '../chunks/chunk.js';
import type { PageRow } from '../chunks/page.js';
import type { PageRepository } from '../chunks/page.repository.js';
import { isPage } from './fuse.js';
import { PagesOfPassages } from './pages-of-passages.js';

const SCOPE = scopeOf('acme', ['read'], 'test');
const REPORT = '8f14e45f-ceea-467f-9a0c-1c1e3b1f2d4a';
const LETTER = '1f0e3dad-9990-4345-b743-9f8ffabdffc4';

const passage = (documentId: string, pageNumber: number | null, score: number, content = ''): ScoredChunk =>
  ({ document_id: documentId, page_number: pageNumber, score, content, chunk_number: 0 }) as ScoredChunk;
const page = (documentId: string, pageNumber: number, content = ''): PageRow =>
  ({ document_id: documentId, page_number: pageNumber, content, object_key: `${pageNumber}.png` }) as PageRow;

/** Pages as the repository would give them for the ranges that are asked for. */
const over = (stored: readonly PageRow[]): PagesOfPassages =>
  new PagesOfPassages({
    within: (_scope, _selection, ranges) =>
      Promise.resolve(
        stored.filter(({ document_id: documentId, page_number: pageNumber }) =>
          ranges.some(
            (range) =>
              range.documentId === documentId && range.first <= pageNumber && pageNumber <= range.last,
          ),
        ),
      ),
  } as Pick<PageRepository, 'within'> as PageRepository);

const shown = async (stored: readonly PageRow[], passages: readonly ScoredChunk[]) =>
  (await over(stored).of(SCOPE, passages)).map((match) => [
    isPage(match) ? 'page' : 'passage',
    match.document_id,
    match.page_number,
    match.score,
  ]);

describe('the pages of passages', () => {
  it('take the place and the score of their best passage, once', async () => {
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

  it('are not those of another number', async () => {
    expect(await shown([page(REPORT, 1)], [passage(REPORT, 2, 0.9)])).toEqual([['passage', REPORT, 2, 0.9]]);
  });

  it('are those with most of the words where a passage does not know its page', async () => {
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
