import { scopeOf } from '../dist/auth/scope.js';
import { ChunkRepository } from '../dist/chunks/chunk.repository.js';
import { readSettings } from '../dist/config/read-settings.js';
import { openDatabase } from '../dist/database/open-database.js';
import { compileSelection } from '../dist/filters/document-predicate.js';
import { scoredQuery } from './exact-search.mjs';

const DIMENSIONS = 384;
const LIMIT = 300;

/**
 * BM25 alone over the documents in this data folder: the service's statement with zero dense weight. No setting allows
 * this, so it bypasses HTTP; the service must be stopped.
 */
export async function searchByWords(home) {
  const database = await openDatabase(readSettings(home.environment));
  const [{ app_id: appId }] = await database.query('select distinct app_id from documents');
  const chunks = new ChunkRepository(database);
  const scope = scopeOf(appId, ['read'], 'bench');
  // Any non-zero vector: its weight is zero, but the zero vector has no cosine.
  const vector = Float32Array.from({ length: DIMENSIONS }, (_, index) => (index === 0 ? 1 : 0));
  return {
    async search(question) {
      const query = await scoredQuery(chunks, scope, question, vector, { dense: 0, lexical: 1 });
      const found = await chunks.fullScan(scope, query, {
        selection: compileSelection(scope, {}),
        limit: LIMIT,
        usesLookups: false,
      });
      return found.chunks
        .filter(({ score }) => score > 0)
        .map(({ filename, page_number: page }) => [filename, page]);
    },
    close: () => database.destroy(),
  };
}
