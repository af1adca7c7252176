import { scopeOf } from '../dist/auth/scope.js';
import { ChunkRepository } from '../dist/chunks/chunk.repository.js';
import { vectorText } from '../dist/chunks/vectors/vector-column.js';
import { queryTermsOf, questionWords } from '../dist/chunks/bm25.js';
import { lexicalCandidates } from '../dist/chunks/search-strategy.js';
import { hybridWeights } from '../dist/chunks/hybrid-score.js';
import { Readability } from '../dist/models/embedding/readability.js';
import { Database } from '../dist/database/data-source.js';
import { compileSelection } from '../dist/filters/document-predicate.js';
import { parseFilter } from '../dist/filters/parse/parse-filter.js';
import { analyseQuery } from '../dist/lexical/analyse.js';
import { keysOf, termNumber } from '../dist/lexical/inverted-index.js';

const SCOPE = scopeOf('default', ['read'], 'bench');

/** Exact search as ground truth: scores every chunk in scope. */
export async function openRepository(databaseUrl, embeddingsUrl) {
  const dataSource = new Database({ url: databaseUrl, poolSize: 2 });
  await dataSource.initialize();
  const repository = new ChunkRepository(dataSource);
  // The service uses these values for unknown models.
  const readability = await Readability.of('byte-pair', 'identifiers');
  return {
    async search(query, filter, k) {
      const vector = await vectorOf(embeddingsUrl, query);
      const selection = compileSelection(SCOPE, { filter: parseFilter(filter, []) });
      const { share, identifiers } = readability.unreadable(query);
      const scored = await scoredQuery(repository, SCOPE, query, vector, hybridWeights(share), identifiers);
      const begun = performance.now();
      const { chunks, matching } = await repository.fullScan(SCOPE, {
        query: scored,
        selection,
        limit: k,
        lookups: 'none',
      });
      const milliseconds = performance.now() - begun;
      return {
        ids: chunks.map(({ document_id: id }) => id),
        matching,
        milliseconds,
        vector: vectorText(vector),
      };
    },
    close: () => dataSource.destroy(),
  };
}

/**
 * Converts a question to a repository query.
 *
 * @param identifiers out-of-vocabulary identifiers in the question; an empty list: plain BM25
 */
export async function scoredQuery(repository, scope, question, vector, weights, identifiers = []) {
  const numbers = [...new Set(analyseQuery(question).map(termNumber))];
  const { sharedCount, postings, frequencies } = await repository.statistics(
    scope,
    keysOf(scope.appId, numbers),
    null,
  );
  const asked = queryTermsOf(
    numbers,
    { postings, frequencies },
    analyseQuery(identifiers.join(' ')).map(termNumber),
  );
  const words = questionWords(scope.appId, asked, sharedCount, lexicalCandidates(weights));
  return { vector, cosineFloor: -1, words, weights };
}

async function vectorOf(url, text) {
  const response = await fetch(`${url}/embeddings`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ model: 'fake', input: text }),
  });
  const { data } = await response.json();
  const { embedding } = data[0];
  const length = Math.hypot(...embedding);
  return Float32Array.from(embedding, (value) => value / length);
}
