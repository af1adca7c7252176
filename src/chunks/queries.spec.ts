import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sql, { raw, type Sql } from 'sql-template-tag';
import { NO_CONTEXT } from '#reader';
import { DENSE_ONLY, hybridWeights } from './hybrid-score.js';
import { VectorIndex } from './vectors/vector-column.js';
import {
  fullScanStatement,
  hnswStatement,
  rangesStatement,
  type SearchInput,
  statisticsStatement,
} from './search-statements.js';
import {
  corpusStatement,
  deleteChunksStatement,
  dropChunksStatement,
  dropUnusedTermsStatement,
  insertChunksStatement,
  moveStatisticsStatement,
  swapChunksStatement,
  termsStatement,
} from './write-statements.js';

/** SQL snapshots for reviewers; `UPDATE_SQL=1 npx jest queries.spec` rewrites them. */
const input: SearchInput = {
  index: new VectorIndex(3, 'halfvec'),
  appId: 'acme',
  selection: {
    test: sql`d.app_id = ${'acme'} and d.status = ${'completed'}`,
    find: sql`d.app_id = ${'acme'} and d.status = ${'completed'} and ${raw('narrowed')}`,
  },
  query: {
    vector: Float32Array.of(1, 0, 0),
    cosineFloor: -1,
    words: { idf: new Map([[7, 1.5]]), bound: 1.5, keys: [28n, 29n], skippedBound: 0 },
    weights: hybridWeights(0),
  },
  limit: 4,
};
const dense: SearchInput = { ...input, query: { ...input.query, weights: DENSE_ONLY } };
const hnsw = { candidates: 88, maxVisits: 1_000, isUnfiltered: false, countsNearest: true };
const sample = { selection: input.selection, ranges: [raw('in_range')] };

const DOCUMENT = '00000000-0000-0000-0000-000000000000';

const statements: Record<string, Sql> = {
  statistics: statisticsStatement('acme', [28n, 29n], null),
  'statistics-sampled': statisticsStatement('acme', [28n, 29n], sample),
  'statistics-bounded': statisticsStatement('acme', [28n, 29n], null, sql`d.folder_path = '/public'`),
  hnsw: hnswStatement({ ...input, ...hnsw }),
  'hnsw-unfiltered': hnswStatement({ ...input, ...hnsw, isUnfiltered: true, countsNearest: false }),
  'hnsw-uncounted': hnswStatement({ ...input, ...hnsw, countsNearest: false }),
  'hnsw-embedded': hnswStatement({ ...input, ...hnsw, index: new VectorIndex(3, 'vector') }),
  'hnsw-dense': hnswStatement({ ...dense, ...hnsw }),
  'full-scan': fullScanStatement({ ...input, lookups: 'serial' }),
  'full-scan-sequential': fullScanStatement({ ...input, lookups: 'none' }),
  'insert-chunks': insertChunksStatement('acme', [
    {
      documentId: DOCUMENT,
      revision: '1',
      chunkNumber: 0,
      content: 'lamp oil',
      context: NO_CONTEXT,
      contentType: 'text/plain',
      startOffset: 0,
      endOffset: 8,
      pageNumber: null,
      metadata: {},
      keys: [28n, 33n],
      impacts: new Map([[7, 0.5]]),
      embedding: Float32Array.of(1, 0, 0),
    },
  ]),
  'delete-chunks': deleteChunksStatement({
    appId: 'acme',
    documentId: DOCUMENT,
    revisions: ['1'],
    from: 0,
  }),
  'drop-chunks': dropChunksStatement({
    appId: 'acme',
    documentId: DOCUMENT,
    revisions: ['1'],
    from: 0,
  }),
  'swap-chunks': swapChunksStatement(
    { appId: 'acme', documentId: DOCUMENT, revisions: ['1'], from: 3 },
    { appId: 'acme', documentId: DOCUMENT, revisions: ['2'], from: 0 },
  ),
  'drop-staged': dropChunksStatement({ appId: 'acme', documentIds: [DOCUMENT], isVisible: false }),
  'delete-documents': swapChunksStatement({ appId: 'acme', documentIds: [DOCUMENT], isVisible: true }, null),
  'move-statistics': moveStatisticsStatement('acme', [DOCUMENT]),
  ranges: rangesStatement('acme', input.selection, [{ documentId: DOCUMENT, first: 0, last: 2 }]),
  corpus: corpusStatement('acme', { all: 1, shared: 0 }),
  terms: termsStatement(
    'acme',
    ['28', '29'],
    [
      { all: 1, shared: 1 },
      { all: -1, shared: 0 },
    ],
  ),
  'drop-unused-terms': dropUnusedTermsStatement('acme', ['29']),
  'vector-index': new VectorIndex(384, 'halfvec').creation(),
  'vector-index-embedded': new VectorIndex(384, 'vector').creation(),
};

describe('SQL statements over chunks', () => {
  it.each(Object.entries(statements))('%s matches its reviewed snapshot', (name, statement) => {
    const file = join(__dirname, 'queries', `${name}.sql`);
    const text = `${statement.text.trim()}\n`;
    if (process.env['UPDATE_SQL'] === '1') writeFileSync(file, text);
    expect(text).toBe(readFileSync(file, 'utf8'));
  });

  it.each(Object.entries(statements).filter(([name]) => !name.startsWith('vector-index')))(
    '%s restricts every table to the tenant',
    (_name, { text }) => {
      const tables =
        text.match(/\b(?:from|join|using|update|into)\s+(chunks|documents|term_stats|corpus_stats)\b/g) ?? [];
      const tenants =
        text.replaceAll('select coalesce(sum(s.chunk_count), 0) from corpus_stats s', '').match(/app_id/g) ??
        [];
      expect(tables.length).toBeGreaterThan(0);
      expect(tenants.length).toBeGreaterThanOrEqual(tables.length);
    },
  );
});
