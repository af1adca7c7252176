import pg from 'pg';
import { openHome } from './service.mjs';
import { seedCorpus } from './synthetic-corpus.mjs';
import { settingsFor, startTopicEmbeddings } from './topic-embeddings.mjs';

/**
 * Runs a measurement on a service whose default tenant holds the synthetic corpus of `seedCorpus`.
 *
 * @param shares metadata for filters, see `seedCorpus`
 * @param measure gets the service, its home, a client of the database and the embedder; returns the result
 */
export async function withCorpus({ databaseUrl, say }, count, shares, measure) {
  if (databaseUrl === undefined) return { skipped: 'it needs DATABASE_URL' };
  const embeddings = await startTopicEmbeddings();
  const home = await openHome(databaseUrl);
  const settings = settingsFor(embeddings);
  try {
    await (await home.start(settings)).stop(); // creates the schema
    say('seeding');
    await seedCorpus(home.databaseUrl, count, shares, say);
    const service = await home.start(settings);
    const client = new pg.Client({ connectionString: home.databaseUrl });
    await client.connect();
    const result = await measure({ service, home, client, embeddings });
    await client.end();
    await service.stop();
    return result;
  } finally {
    await home.close();
    await embeddings.close();
  }
}
