import { ChunkRepository } from '../dist/chunks/chunk.repository.js';
import { HYBRID, scoredQuery } from '../dist/chunks/fusion.js';
import { analyseQuery } from '../dist/lexical/analyse.js';
import { Database } from '../dist/database/data-source.js';
import { compileSelection } from '../dist/filters/document-predicate.js';
import { parseFilter } from '../dist/filters/parse/parse-filter.js';
import { vectorText } from '../dist/chunk./column-text.js';

const SCOPE = { appId: 'default', permissions: new Set(['read']), keyId: 'bench' };

/** The exact answer to a query: every chunk in scope scored, whatever it costs. */
export async function openRepository(databaseUrl, embeddingsUrl) {
  const dataSource = new Database({ url: databaseUrl, poolSize: 2 });
  await dataSource.initialize();
  const repository = new ChunkRepository(dataSource);
  return {
    async search(query, filter, k) {
      const vector = await vectorOf(embeddingsUrl, query);
      const terms = [...new Set(analyseQuery(query))];
      const selection = { filter: parseFilter(filter, []) };
      const statistics = await repository.statistics(SCOPE, terms);
      const begun = performance.now();
      const { chunks, matching } = await repository.searchExact(
        SCOPE,
        compileSelection(SCOPE, selection),
        scoredQuery({ vector, weights: HYBRID }, statistics),
        { limit: k, guard: 1e9 },
      );
      const milliseconds = performance.now() - begun;
      return {
        ids: chunks.map(({ documentId }) => documentId),
        matching,
        milliseconds,
        vector: vectorText(vector),
      };
    },
    close: () => dataSource.destroy(),
  };
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
