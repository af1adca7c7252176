import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sql, { raw, type Sql } from 'sql-template-tag';
import { HYBRID, DENSE_ONLY } from './fusion.js';
import { VectorIndex } from './vector-index.js';
import { scanStatement } from './scan-statement.js';
import { candidateStatement, type CandidateInput } from './candidate-statement.js';
import { sampleStatement, statisticsStatement } from './statistics-statements.js';
import { exactStatement, rangesStatement, type SearchInput } from './search-statements.js';
import {
  corpusStatement,
  deleteChunksStatement,
  dropChunksStatement,
  dropUnusedTermsStatement,
  insertChunksStatement,
  swapChunksStatement,
  termsStatement,
} from './write-statements.js';

/** The statements as a reviewer reads them; `UPDATE_SQL=1 npx jest queries.spec` writes them anew. */
const input: SearchInput = {
  index: new VectorIndex(3, 'halfvec'),
  appId: 'acme',
  selection: {
    test: sql`d.app_id = ${'acme'} and d.status = ${'completed'}`,
    find: sql`d.app_id = ${'acme'} and d.status = ${'completed'} and ${raw('narrowed')}`,
  },
  vector: '[1,0,0]',
  terms: [
    { term: 'lamp', chunkCount: 20, idf: 1.5 },
    { term: 'oil', chunkCount: 10, idf: 2.5 },
  ],
  meanLength: 100,
  bound: 4,
  weights: HYBRID,
  limit: 4,
};

const BOUNDS = {
  candidateTerms: input.terms.slice(1),
  candidates: 100,
} satisfies Partial<CandidateInput>;

const DOCUMENT = '00000000-0000-0000-0000-000000000000';

const statements: Record<string, Sql> = {
  statistics: statisticsStatement('acme', ['lamp', 'oil']),
  exact: exactStatement({ ...input, guard: 5000 }),
  'exact-dense': exactStatement({ ...input, weights: DENSE_ONLY, terms: [], guard: 5000 }),
  sample: sampleStatement({
    ...input,
    parts: [raw('in_range')],
    documents: 200,
    neighbours: 100,
  }),
  'candidates-by-index': candidateStatement({ ...input, ...BOUNDS, efSearch: 200 }),
  'candidates-by-scan': scanStatement({ ...input, ...BOUNDS, looksUp: false }),
  'candidates-by-look-up': scanStatement({ ...input, ...BOUNDS, looksUp: true }),
  'candidates-explained': candidateStatement({ ...input, ...BOUNDS, efSearch: 200, explain: true }),
  'candidates-embedded': candidateStatement({
    ...input,
    ...BOUNDS,
    efSearch: 200,
    index: new VectorIndex(3, 'vector'),
  }),
  'candidates-dense': candidateStatement({
    ...input,
    ...BOUNDS,
    efSearch: 200,
    weights: DENSE_ONLY,
    candidateTerms: [],
  }),
  'insert-chunks': insertChunksStatement(
    'acme',
    DOCUMENT,
    '1',
    {
      numbers: [0],
      contents: ['lamp oil'],
      contexts: ['Lighthouses'],
      contentTypes: ['text/plain'],
      starts: [0],
      ends: [8],
      pages: [null],
      metadata: ['{}'],
      terms: ['lamp oil'],
      lengths: [2],
      vectors: '[1,0,0]',
    },
    { numbers: [0, 0], terms: ['lamp', 'oil'], frequencies: [1, 1] },
  ),
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
  'drop-staged': dropChunksStatement({ appId: 'acme', documentIds: [DOCUMENT], seen: false }),
  'delete-documents': swapChunksStatement({ appId: 'acme', documentIds: [DOCUMENT], seen: true }, null),
  ranges: rangesStatement('acme', input.selection, [{ documentId: DOCUMENT, first: 0, last: 2 }]),
  corpus: corpusStatement('acme', 1, 2),
  terms: termsStatement('acme', ['lamp', 'oil'], [1, -1]),
  'drop-unused-terms': dropUnusedTermsStatement('acme', ['oil']),
  'vector-index': new VectorIndex(384, 'halfvec').creation(),
  'vector-index-embedded': new VectorIndex(384, 'vector').creation(),
};

describe('the statements over chunks', () => {
  it.each(Object.entries(statements))('%s is the reviewed one', (name, statement) => {
    const file = join(__dirname, 'queries', `${name}.sql`);
    const text = `${statement.text.trim()}\n`;
    if (process.env['UPDATE_SQL'] === '1') writeFileSync(file, text);
    expect(text).toBe(readFileSync(file, 'utf8'));
  });

  it.each(Object.entries(statements).filter(([name]) => !name.startsWith('vector-index')))(
    '%s names the tenant in every place that reads a table',
    (_name, { text }) => {
      const tables =
        text.match(
          /\b(?:from|join|using|update|into)\s+(chunks|documents|postings|term_stats|corpus_stats)\b/g,
        ) ?? [];
      const tenants = text.match(/app_id/g) ?? [];
      expect(tables.length).toBeGreaterThan(0);
      expect(tenants.length).toBeGreaterThanOrEqual(tables.length);
    },
  );
});
