import { ChunkRepository } from '../dist/chunks/chunk.repository.js';
import { readSettings } from '../dist/config/read-settings.js';
import { openDatabase } from '../dist/database/open-database.js';
import { compileSelection } from '../dist/filters/document-predicate.js';
import { scoredQuery } from './exact-search.mjs';

const DIMENSIONS = 384;
const LIMIT = 300;

/**
 * BM25 alone over what a service has stored in this home: the service's own statement with all the weight on its lexical
 * side. No setting of the service offers this, so that it goes past HTTP; the service must have been stopped.
 */
export async function searchByWords(home) {
  const database = await openDatabase(readSettings(home.environment));
  const [{ app_id: appId }] = await database.query('select distinct app_id from documents');
  const chunks = new ChunkRepository(database);
  const scope = { appId, permissions: new Set(['read']), keyId: 'bench' };
  // Any direction will do, its weight is zero; a vector without direction has no cosine.
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
