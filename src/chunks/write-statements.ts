import sql, { empty, raw, type Sql } from 'sql-template-tag';
import { everyoneReads } from '../access/visible-to.js';
import type { DocumentKey } from '../corpus/document.entity.js';
import { FALSE } from '../filters/sql/expressions.js';
import { printJson } from '../json/exact-json.js';
import type { Impacts } from '../lexical/inverted-index.js';
import type { NewChunk } from './chunk.js';
import { LIVE } from './search-statements.js';
import { sparseText, storedContext, vectorText } from './vectors/vector-column.js';

/** A range of chunks of a document. Revisions are bigint in the database and opaque text here. */
export interface ChunkRange extends DocumentKey {
  readonly revisions: readonly string[];
  /** Number of the first chunk. */
  readonly from: number;
}

/** All visible or all staged chunks of documents. */
export interface ChunksOfDocuments {
  readonly appId: string;
  readonly documentIds: readonly string[];
  readonly isVisible: boolean;
}

/** A new chunk with its index keys and term impacts. */
export interface AnalysedChunk extends NewChunk {
  readonly documentId: string;
  readonly revision: string;
  /** Keys of the inverted index. */
  readonly keys: readonly bigint[];
  readonly impacts: Impacts;
}

/**
 * Inserts chunks. Passes the terms and vectors of all chunks as joined texts, because PostgreSQL would scan every
 * character of an array for quotes.
 */
export function insertChunksStatement(appId: string, chunks: readonly AnalysedChunk[]): Sql {
  return sql`
insert into chunks (app_id, document_id, revision, chunk_number, content, content_hash, context, content_type,
  start_offset, end_offset, page_number, metadata, terms, impacts, embedding)
select ${appId}, r.document_id, r.revision, r.number, r.content,
  sha256(convert_to(r.content, 'UTF8')), r.context, r.content_type, r.start_offset, r.end_offset, r.page, r.metadata::jsonb,
  string_to_array(r.terms, ' ')::bigint[], r.impacts::sparsevec, r.vector::halfvec
from unnest(
  ${chunks.map((chunk) => chunk.documentId)}::uuid[],
  ${chunks.map((chunk) => chunk.revision)}::bigint[],
  ${chunks.map((chunk) => chunk.chunkNumber)}::integer[],
  ${chunks.map((chunk) => chunk.content)}::text[],
  ${chunks.map((chunk) => storedContext(chunk.context))}::text[],
  ${chunks.map((chunk) => chunk.contentType)}::text[],
  ${chunks.map((chunk) => chunk.startOffset)}::integer[],
  ${chunks.map((chunk) => chunk.endOffset)}::integer[],
  ${chunks.map((chunk) => chunk.pageNumber)}::integer[],
  ${chunks.map((chunk) => printJson(chunk.metadata))}::text[],
  ${chunks.map((chunk) => chunk.keys.join(' '))}::text[],
  string_to_array(${chunks.map((chunk) => sparseText(chunk.impacts)).join(' ')}, ' '),
  string_to_array(${chunks.map((chunk) => vectorText(chunk.embedding)).join(' ')}, ' '))
  as r(document_id, revision, number, content, context, content_type, start_offset, end_offset, page, metadata, terms, impacts, vector)`;
}

/**
 * Removes chunks of a document and counts them. Each index key gets a row with the number of removed chunks that
 * contain it. A row without a key has the number of all removed chunks.
 */
export function deleteChunksStatement(range: ChunkRange): Sql {
  return sql`
with ${removal(range)}
select t.key::text as key, count(*)::integer as chunk_count
from removed g, unnest(g.terms) as t(key) group by t.key
union all
select null, count(*)::integer from removed g`;
}

/** Removes chunks that the statistics do not count, and so does not update the statistics. */
export function dropChunksStatement(range: ChunkRange | ChunksOfDocuments): Sql {
  return sql`
with ${removal(range)}
select count(*)::integer as dropped from removed`;
}

/**
 * Removes chunks, and updates the statistics for the removed chunks and for the staged chunks `added` (null: no
 * chunks). Returns the keys that no chunk contains any more. The database does all of this work, because a long
 * document has millions of terms. The statement counts first, so that it holds locks only briefly. Then it locks the
 * tenant's row, and after it the rows of the tenant's terms, in the same order as {@link corpusStatement}.
 */
export function swapChunksStatement(removed: ChunkRange | ChunksOfDocuments, added: ChunkRange | null): Sql {
  const { appId } = removed;
  return sql`
with ${removal(removed)},
added as (select c.document_id, c.terms from chunks c where ${added === null ? FALSE : inRange(added)}),
moved as materialized (
  select w.terms, w.change, case when d.in_shared_statistics then w.change else 0 end as shared_change
  from (
    select g.document_id, g.terms, -1 as change from removed g
    union all
    select n.document_id, n.terms, 1 from added n
  ) w
  join documents d on d.app_id = ${appId} and d.external_id = w.document_id
),
changed as materialized (
  select t.key, sum(t.change)::integer as change, sum(t.shared_change)::integer as shared_change
  from (select unnest(m.terms) as key, m.change, m.shared_change from moved m) t
  group by t.key having sum(t.change) <> 0
),
corpus as (
  insert into corpus_stats (app_id, chunk_count, shared_count)
  select ${appId}, coalesce((select sum(m.change) from moved m), 0), coalesce((select sum(m.shared_change) from moved m), 0)
  from (select count(*) from changed) as all_counted
  ${ON_KNOWN_CORPUS}
  returning app_id
),
terms as (
  insert into term_stats (app_id, key, chunk_count, shared_count)
  select l.app_id, t.key, t.change, t.shared_change from corpus l cross join changed t
  ${ON_KNOWN_TERM}
  returning key, chunk_count
)
select t.key::text as key from terms t where t.chunk_count <= 0`;
}

/**
 * Condition on documents `d` whose chunks are counted for other readers than the documents have.
 * @param documentIds null: all documents of the tenant shard
 */
export function isMiscounted(appId: string, documentIds: readonly string[] | null): Sql {
  const named = documentIds === null ? empty : sql` and d.external_id = any(${documentIds}::uuid[])`;
  return sql`d.app_id = ${appId}${named} and d.in_shared_statistics <> (${everyoneReads(sql`d.readers`)})`;
}

/**
 * Moves the visible chunks of documents into the shared statistics, or out of them, if the readers of the documents
 * changed. Changes nothing for other documents. Locks the tenant's row before the rows of terms, like
 * {@link swapChunksStatement}.
 */
export function moveStatisticsStatement(appId: string, documentIds: readonly string[] | null): Sql {
  return sql`
with flipped as (
  update documents d set in_shared_statistics = not d.in_shared_statistics
  where ${isMiscounted(appId, documentIds)}
  returning d.external_id, d.live_revisions, d.in_shared_statistics
),
moved as materialized (
  select c.terms, case when f.in_shared_statistics then 1 else -1 end as change
  from flipped f
  join chunks c on c.app_id = ${appId} and c.document_id = f.external_id and c.revision = any(f.live_revisions)
),
changed as materialized (
  select t.key, sum(t.change)::integer as change
  from (select unnest(m.terms) as key, m.change from moved m) t
  group by t.key having sum(t.change) <> 0
),
corpus as (
  insert into corpus_stats (app_id, chunk_count, shared_count)
  select ${appId}, 0, sum(m.change) from moved m cross join (select count(*) from changed) as all_counted
  having count(*) > 0
  ${ON_KNOWN_CORPUS}
  returning app_id
)
insert into term_stats (app_id, key, chunk_count, shared_count)
select l.app_id, t.key, 0, t.change from corpus l cross join changed t
${ON_KNOWN_TERM}`;
}

function removal(range: ChunkRange | ChunksOfDocuments): Sql {
  return sql`removed as (
  delete from chunks c
  where ${inRange(range)}
  returning c.document_id, c.terms
)`;
}

function inRange(range: ChunkRange | ChunksOfDocuments): Sql {
  if ('documentIds' in range) {
    const { appId, documentIds, isVisible } = range;
    const live = sql`exists (
    select from documents d
    where ${LIVE})`;
    return sql`c.app_id = ${appId} and c.document_id = any(${documentIds}::uuid[]) and ${isVisible ? live : sql`not ${live}`}`;
  }
  const { appId, documentId, revisions, from } = range;
  return sql`c.app_id = ${appId} and c.document_id = ${documentId}::uuid and c.chunk_number >= ${from} and c.revision = any(${revisions}::bigint[])`;
}

const ON_KNOWN_CORPUS = raw(
  `on conflict (app_id) do update set chunk_count = corpus_stats.chunk_count + excluded.chunk_count,
    shared_count = corpus_stats.shared_count + excluded.shared_count`,
);

const ON_KNOWN_TERM = raw(
  `on conflict (app_id, key) do update set chunk_count = term_stats.chunk_count + excluded.chunk_count,
    shared_count = term_stats.shared_count + excluded.shared_count`,
);

export interface CountChange {
  /** Of all chunks. */
  readonly all: number;
  /** Of chunks that everyone in the tenant may read. */
  readonly shared: number;
}

/**
 * Updates the chunk counts of a tenant, and so locks the tenant's row in `corpus_stats`. Writers lock this row before
 * the rows of terms, which prevents deadlocks. Must be one of the last statements of a transaction.
 */
export function corpusStatement(appId: string, { all, shared }: CountChange): Sql {
  return sql`
insert into corpus_stats (app_id, chunk_count, shared_count)
values (${appId}, ${all}, ${shared})
${ON_KNOWN_CORPUS}`;
}

/** Adds changes to the numbers of chunks with a term. @param keys keys of the inverted index */
export function termsStatement(appId: string, keys: readonly string[], changes: readonly CountChange[]): Sql {
  return sql`
insert into term_stats (app_id, key, chunk_count, shared_count)
select ${appId}, r.key, r.change, r.shared_change
from unnest(${keys}::bigint[], ${changes.map(({ all }) => all)}::integer[], ${changes.map(({ shared }) => shared)}::integer[])
  as r(key, change, shared_change)
${ON_KNOWN_TERM}`;
}

/** Deletes the statistics of the given keys that no chunk contains any more. */
export function dropUnusedTermsStatement(appId: string, keys: readonly string[]): Sql {
  return sql`
delete from term_stats where app_id = ${appId} and key = any(${keys}::bigint[]) and chunk_count <= 0`;
}
