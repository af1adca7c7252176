import pg from 'pg';
import pgvector from 'pgvector';
import { v7 } from 'uuid';
import { sparseText } from '../dist/chunks/column-text.js';
import { indexKeys } from '../dist/chunks/inverted-index.js';
import { analyseDocument } from '../dist/lexical/analyse.js';
import { impactsOf } from '../dist/lexical/impacts.js';
import { VectorIndex } from '../dist/chunks/vector-index.js';
import { randomSource } from './random-source.mjs';
import { DIMENSIONS, topicVector } from './topic-embeddings.mjs';

const TOPICS = 200;
const WORDS_OF_TOPIC = 150;
const VOCABULARY = 40_000;
const WORDS = 100;
const BATCH = 1_000;
/** The ids tell that the documents came one after the other, a millisecond apart, and are the same in every run. */
const idAt = (number) => v7({ msecs: Date.UTC(2026, 0, 1) + number, random: new Uint8Array(16) });

/** A word of a vocabulary whose frequencies fall as in real text (Zipf). */
const wordAt = (random) => `w${Math.floor(Math.exp(random() * Math.log(VOCABULARY)))}`;
const topicWord = (topic, random) => `t${topic}x${Math.floor(random() ** 2 * WORDS_OF_TOPIC)}`;

export function topicText(topic, words, random) {
  return Array.from({ length: words }, () =>
    random() < 0.4 ? topicWord(topic, random) : wordAt(random),
  ).join(' ');
}

/** A question about one topic. */
export function question(random) {
  const topic = Math.floor(random() * TOPICS);
  return topicText(topic, 9, random);
}

/**
 * Writes `count` documents of one chunk each into the tables, as ingestion leaves them: 100 words about one of 200
 * topics, vectors of `topicVector`, metadata to select any share of them by (`sel`, 0 to 9,999, at
 * random; `topic`, in clusters; `share_N` true for N in 10,000, at random).
 */
export async function seedCorpus(url, count, shares, say = () => undefined) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const random = randomSource(17);
  await client.query(`set synchronous_commit = off`);
  // Both indexes are made afterwards in a fraction of the time that keeping them up to date would take.
  const index = new VectorIndex(DIMENSIONS, 'halfvec');
  await client.query(`drop index ${index.name}`);
  await client.query('drop index chunks_terms');
  for (let start = 0; start < count; start += BATCH) {
    await seedBatch(client, start, Math.min(count, start + BATCH), shares, random);
    if (start % 20_000 === 0) say(`${start} of ${count} documents`);
  }
  say('making the indexes');
  await client.query(`set maintenance_work_mem = '512MB'`);
  await client.query('create index chunks_terms on chunks using gin (terms) with (fastupdate = off)');
  await client.query(index.creation().text);
  await client.query(
    `insert into term_stats (app_id, key, chunk_count)
     select c.app_id, t.key, count(*) from chunks c, unnest(c.terms) as t(key) where c.app_id = 'default' group by 1, 2`,
  );
  await client.query(
    `insert into corpus_stats (app_id, chunk_count)
     select app_id, count(*) from chunks where app_id = 'default' group by 1`,
  );
  await client.query('vacuum analyze');
  await client.end();
}

async function seedBatch(client, from, to, shares, random) {
  const rows = { id: [], number: [], metadata: [], content: [], terms: [], impacts: [], vector: [] };
  for (let number = from; number < to; number += 1) {
    const topic = Math.floor(random() * TOPICS);
    const content = topicText(topic, WORDS, random);
    const impacts = impactsOf(analyseDocument(content));
    const sel = Math.floor(random() * 10_000);
    const tags = shares.filter((share) => random() * 10_000 < share).map((share) => [`share_${share}`, true]);
    const id = idAt(number);
    rows.id.push(id);
    rows.number.push(number);
    rows.metadata.push(JSON.stringify({ number, sel, topic, ...Object.fromEntries(tags) }));
    rows.content.push(content);
    rows.terms.push(indexKeys('default', impacts).join(' '));
    rows.impacts.push(sparseText(impacts));
    rows.vector.push(pgvector.toSql(topicVector(content)));
  }
  await client.query('begin');
  await client.query(
    `insert into documents (app_id, external_id, status, content_type, filename, metadata, metadata_types, chunk_count)
     select 'default', r.id, 'completed', 'text/plain', 'doc-' || r.number, r.metadata::jsonb,
       '{"number": "number", "sel": "number", "topic": "number"}', 1
     from unnest($1::uuid[], $2::integer[], $3::text[]) as r(id, number, metadata)`,
    [rows.id, rows.number, rows.metadata],
  );
  await client.query(
    `insert into chunks (app_id, document_id, chunk_number, revision, content, content_hash, content_type,
       start_offset, end_offset, terms, impacts, embedding)
     select 'default', r.id, 0, 0, r.content, sha256(convert_to(r.content, 'UTF8')), 'text/plain',
       0, length(r.content), string_to_array(r.terms, ' ')::bigint[], r.impacts::sparsevec, r.vector::halfvec
     from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[])
       as r(id, content, terms, impacts, vector)`,
    [rows.id, rows.content, rows.terms, rows.impacts, rows.vector],
  );
  await client.query('commit');
}
