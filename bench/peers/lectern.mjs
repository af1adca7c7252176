import pg from 'pg';
import { ingest } from '../ingest.mjs';
import { openHome } from '../service.mjs';
import { PASSAGE_DIMENSIONS } from '../passages.mjs';
import { postJson } from '../post-json.mjs';

/**
 * Lectern over HTTP, as used in production.
 *
 * @param main path of another build
 * @param of name of another side, whose documents this side serves
 * @param processes number of services over the same database, which receive the questions in turn
 */
export const lectern = (name, { main, of, settings = {}, processes = 1 } = {}) => ({
  name,
  async start({ passages }, { databaseUrl, embeddingsUrl, started }) {
    const filled = started.find((side) => side.name === of);
    const home = filled?.home ?? (await openHome(databaseUrl, main));
    const services = [];
    while (services.length < processes) {
      const service = await home.start({
        EMBEDDING_MODEL: 'openai/passages',
        EMBEDDING_API_BASE: embeddingsUrl,
        EMBEDDING_API_KEY: 'none',
        EMBEDDING_DIMENSIONS: String(PASSAGE_DIMENSIONS),
        ...settings,
      });
      services.push({ ...service, ...postJson(service.base, { Authorization: `Bearer ${service.key}` }) });
    }
    const bodies = passages.map(({ id, text, metadata }) => ({ content: text, filename: id, metadata }));
    const seconds = filled?.seconds ?? (await ingest(services[0], bodies)).seconds;
    let asked = 0;
    return {
      home,
      seconds,
      pids: services.map(({ pid }) => pid),
      usesDatabase: true,
      bytes: await databaseBytes(home.databaseUrl),
      async search({ text }, filter, k) {
        asked += 1;
        const { chunks } = await services[asked % processes].post('/retrieve/chunks/grouped', {
          query: text,
          k,
          use_colpali: false,
          ...(filter === null ? {} : { filters: { [filter]: true } }),
        });
        return chunks.map(({ filename }) => filename);
      },
      async close() {
        for (const { close } of services) close();
        if (filled === undefined) await home.close();
      },
    };
  },
});

/** Size of a database in bytes after a vacuum. */
export async function databaseBytes(url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('vacuum analyze');
  const { rows } = await client.query('select pg_database_size(current_database())::float8 as bytes');
  await client.end();
  return rows[0].bytes;
}
