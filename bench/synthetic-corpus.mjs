import pg from 'pg';
import pgvector from 'pgvector';
import { v7 } from 'uuid';
import { sparseText } from '../dist/chunks/vectors/vector-column.js';
import { impactsOf, indexKeys } from '../dist/lexical/inverted-index.js';
import { analyseDocument } from '../dist/lexical/analyse.js';
import { VectorIndex } from '../dist/chunks/vectors/vector-column.js';
import { randomSource } from './random-source.mjs';
import { DIMENSIONS, topicVector } from './topic-embeddings.mjs';

const TOPICS = 200;
const WORDS_OF_TOPIC = 150;
const VOCABULARY = 40_000;
const WORDS = 100;
const BATCH = 1_000;
/** Returns a reproducible id. The timestamps of consecutive ids are one millisecond apart. */
const idAt = (number) => v7({ msecs: Date.UTC(2026, 0, 1) + number, random: new Uint8Array(16) });

/** A word with Zipf-distributed frequency, as in real text. */
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
 * Inserts `count` documents of one chunk each directly into the tables: 100 words about one of 200 topics, vectors of
 * `topicVector`, and metadata for filters of any selectivity. `sel` is a random number from 0 to 9,999. `topic` is the
 * number of the topic, so that its documents are clustered. `share_N` is true in N of 10,000 documents, at random.
 *
 * @param tenantOf maps a document number to its tenant
 * @returns the duration of building the indexes in seconds
 */
export async function seedCorpus(url, count, shares, say = () => undefined, tenantOf = () => 'default') {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const random = randomSource(17);
  await client.query(`set synchronous_commit = off`);
  // Building both indexes afterwards is many times faster than maintaining them.
  const index = new VectorIndex(DIMENSIONS, 'halfvec');
  await client.query(`drop index ${index.name}`);
  await client.query('drop index chunks_terms');
  for (let start = 0; start < count; start += BATCH) {
    await seedBatch(client, { from: start, to: Math.min(count, start + BATCH), shares, random, tenantOf });
    if (start % 20_000 === 0) say(`${start} of ${count} documents`);
  }
  say('making the indexes');
  const begun = performance.now();
  // The graph takes about 2 KB per chunk. If it does not fit into memory, the build takes many times as long.
  await client.query(`set maintenance_work_mem = '${Math.max(512, Math.ceil((2 * count) / 1_024))}MB'`);
  await client.query('create index chunks_terms on chunks using gin (terms) with (fastupdate = off)');
  await client.query(index.creation().text);
  const seconds = (performance.now() - begun) / 1_000;
  await client.query(
    `insert into term_stats (app_id, key, chunk_count, shared_count)
     select c.app_id, t.key, count(*), count(*) from chunks c, unnest(c.terms) as t(key) group by 1, 2`,
  );
  await client.query(
    `insert into corpus_stats (app_id, chunk_count, shared_count)
     select app_id, count(*), count(*) from chunks group by 1`,
  );
  await client.query('vacuum analyze');
  await client.end();
  return seconds;
}

async function seedBatch(client, { from, to, shares, random, tenantOf }) {
  const rows = {
    tenant: [],
    id: [],
    number: [],
    metadata: [],
    content: [],
    terms: [],
    impacts: [],
    vector: [],
  };
  for (let number = from; number < to; number += 1) {
    const topic = Math.floor(random() * TOPICS);
    const content = topicText(topic, WORDS, random);
    const impacts = impactsOf(analyseDocument(content));
    const sel = Math.floor(random() * 10_000);
    const tags = shares.filter((share) => random() * 10_000 < share).map((share) => [`share_${share}`, true]);
    const tenant = tenantOf(number);
    rows.tenant.push(tenant);
    rows.id.push(idAt(number));
    rows.number.push(number);
    rows.metadata.push(JSON.stringify({ number, sel, topic, ...Object.fromEntries(tags) }));
    rows.content.push(content);
    rows.terms.push(indexKeys(tenant, impacts).join(' '));
    rows.impacts.push(sparseText(impacts));
    rows.vector.push(pgvector.toSql(topicVector(content)));
  }
  await client.query('begin');
  await client.query(
    `insert into documents (app_id, external_id, status, content_type, filename, metadata, metadata_types, chunk_count,
       in_shared_statistics)
     select r.tenant, r.id, 'completed', 'text/plain', 'doc-' || r.number, r.metadata::jsonb,
       '{"number": "number", "sel": "number", "topic": "number"}', 1, true
     from unnest($1::text[], $2::uuid[], $3::integer[], $4::text[]) as r(tenant, id, number, metadata)`,
    [rows.tenant, rows.id, rows.number, rows.metadata],
  );
  await client.query(
    `insert into chunks (app_id, document_id, chunk_number, revision, content, content_hash, content_type,
       start_offset, end_offset, terms, impacts, embedding)
     select r.tenant, r.id, 0, 0, r.content, sha256(convert_to(r.content, 'UTF8')), 'text/plain',
       0, length(r.content), string_to_array(r.terms, ' ')::bigint[], r.impacts::sparsevec, r.vector::halfvec
     from unnest($1::text[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[])
       as r(tenant, id, content, terms, impacts, vector)`,
    [rows.tenant, rows.id, rows.content, rows.terms, rows.impacts, rows.vector],
  );
  await client.query('commit');
}
