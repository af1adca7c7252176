import pg from 'pg';
import pgvector from 'pgvector/pg';
import { openDatabase } from '../service.mjs';
import { databaseBytes } from './lectern.mjs';
import { PASSAGE_DIMENSIONS } from '../passages.mjs';

const CONNECTIONS = 16;
/** The value of ef_search, for ten results. */
const LIST = 100;

/** Measures the database alone, as an upper limit: a single statement on a single table. */
const bare = (name, index) => ({
  name,
  async start({ passages }, { databaseUrl }) {
    const database = await openDatabase(databaseUrl);
    const pool = new pg.Pool({
      connectionString: database.url,
      max: CONNECTIONS,
      options: `-c hnsw.ef_search=${LIST} -c hnsw.iterative_scan=off -c jit=off`,
    });
    await pool.query('create extension if not exists vector');
    await pool.query(
      `create table passages (id text primary key, content text, metadata jsonb, embedding halfvec(${PASSAGE_DIMENSIONS}))`,
    );
    const begun = performance.now();
    for (let start = 0; start < passages.length; start += 500) {
      const part = passages.slice(start, start + 500);
      await pool.query(
        'insert into passages select * from unnest($1::text[], $2::text[], $3::jsonb[], $4::halfvec[])',
        [
          part.map(({ id }) => id),
          part.map(({ text }) => text),
          part.map(({ metadata }) => JSON.stringify(metadata)),
          part.map(({ vector }) => pgvector.toSql(Array.from(vector))),
        ],
      );
    }
    await pool.query('create index on passages using gin (metadata jsonb_path_ops)');
    if (index) await pool.query('create index on passages using hnsw (embedding halfvec_cosine_ops)');
    const seconds = (performance.now() - begun) / 1_000;
    const bytes = await databaseBytes(database.url);
    return {
      seconds,
      bytes,
      usesDatabase: true,
      async search({ vector }, filter, k) {
        const { rows } = await pool.query({
          name: filter ?? 'all',
          text: `select id, content, metadata, embedding <=> $1 as distance from passages
            ${filter === null ? '' : `where metadata @> '{"${filter}": true}'`} order by embedding <=> $1 limit ${k}`,
          values: [pgvector.toSql(Array.from(vector))],
        });
        return rows.map(({ id }) => id);
      },
      async close() {
        await pool.end();
        await database.drop();
      },
    };
  },
});

export const pgvectorIndex = bare('bare pgvector, HNSW', true);
export const pgvectorScan = bare('bare pgvector, exact', false);
