import { scopeOf } from '../dist/auth/scope.js';
import { ChunkRepository } from '../dist/chunks/chunk.repository.js';
import { readSettings } from '../dist/config/read-settings.js';
import { openDatabase } from '../dist/database/open-database.js';
import { compileSelection } from '../dist/filters/document-predicate.js';
import { scoredQuery } from './exact-search.mjs';

const DIMENSIONS = 384;
const LIMIT = 300;

/**
 * Searches the documents of a data folder with BM25 alone: runs the service's search statement with a dense weight of
 * zero. No setting of the service allows this weight, so the search does not use HTTP. The service must be stopped.
 */
export async function searchByWords(home) {
  const database = await openDatabase(readSettings(home.environment));
  const [{ app_id: appId }] = await database.query('select distinct app_id from documents');
  const chunks = new ChunkRepository(database);
  const scope = scopeOf(appId, ['read'], 'bench');
  // Any vector except the zero vector, which has no cosine. The vector does not affect the result, because its weight
  // is zero.
  const vector = Float32Array.from({ length: DIMENSIONS }, (_, index) => (index === 0 ? 1 : 0));
  return {
    async search(question) {
      const query = await scoredQuery(chunks, scope, question, vector, { dense: 0, lexical: 1 });
      const found = await chunks.fullScan(scope, {
        query,
        selection: compileSelection(scope, {}),
        limit: LIMIT,
        lookups: 'none',
      });
      return found.chunks
        .filter(({ score }) => score > 0)
        .map(({ filename, page_number: page }) => [filename, page]);
    },
    close: () => database.destroy(),
  };
}
