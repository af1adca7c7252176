import sql, { raw, type Sql } from 'sql-template-tag';
import { FALSE } from '../filters/sql/expressions.js';

/** Which chunks of which document. Revisions are bigint in the database and opaque text here. */
export interface ChunkRange {
  readonly appId: string;
  readonly documentId: string;
  readonly revisions: readonly string[];
  /** First chunk number. */
  readonly from: number;
}

/** All chunks of some documents: those that their readers see, or those that are staged. */
export interface ChunksOfDocuments {
  readonly appId: string;
  readonly documentIds: readonly string[];
  readonly seen: boolean;
}

/** The rows of new chunks, one array a column. */
export interface ChunkColumns {
  readonly numbers: readonly number[];
  readonly contents: readonly string[];
  readonly contexts: readonly string[];
  readonly contentTypes: readonly string[];
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  readonly pages: readonly (number | null)[];
  /** JSON objects. */
  readonly metadata: readonly string[];
  /** Terms of a chunk, separated by spaces; no term holds one. */
  readonly terms: readonly string[];
  readonly lengths: readonly number[];
  /** As pgvector reads them, separated by spaces: an array would have every character looked at for quotes. */
  readonly vectors: string;
}

/** The rows of new postings: the term, its chunk and how often it stands there. */
export interface PostingColumns {
  readonly numbers: readonly number[];
  readonly terms: readonly string[];
  readonly frequencies: readonly number[];
}

export function insertChunksStatement(
  appId: string,
  documentId: string,
  revision: string,
  chunks: ChunkColumns,
  postings: PostingColumns,
): Sql {
  return sql`
with inserted as (
  insert into chunks (app_id, document_id, revision, chunk_number, content, content_hash, context, content_type,
    start_offset, end_offset, page_number, metadata, terms, length, embedding)
  select ${appId}, ${documentId}::uuid, ${revision}::bigint, r.number, r.content,
    sha256(convert_to(r.content, 'UTF8')), r.context, r.content_type, r.start_offset, r.end_offset, r.page, r.metadata::jsonb,
    string_to_array(r.terms, ' '), r.length, r.vector::halfvec
  from unnest(${chunks.numbers}::integer[], ${chunks.contents}::text[], ${chunks.contexts}::text[], ${chunks.contentTypes}::text[],
    ${chunks.starts}::integer[], ${chunks.ends}::integer[], ${chunks.pages}::integer[], ${chunks.metadata}::text[],
    ${chunks.terms}::text[], ${chunks.lengths}::integer[], string_to_array(${chunks.vectors}, ' '))
    as r(number, content, context, content_type, start_offset, end_offset, page, metadata, terms, length, vector)
  returning chunk_id, chunk_number, length
)
insert into postings (app_id, term, chunk_id, tf, len)
select ${appId}, r.term, i.chunk_id, r.frequency, i.length
from unnest(${postings.numbers}::integer[], ${postings.terms}::text[], ${postings.frequencies}::integer[])
  as r(number, term, frequency)
join inserted i on i.chunk_number = r.number`;
}

/**
 * Removes chunks with their postings, and tells what the statistics lose: a row for each term, and one without a term
 * for the chunks themselves.
 */
export function deleteChunksStatement(range: ChunkRange): Sql {
  return sql`
with ${removal(range)}
select t.term, count(*)::integer as chunk_count, 0::float8 as total_length
from gone g, unnest(g.terms) as t(term) group by t.term
union all
select null, count(*)::integer, coalesce(sum(g.length), 0)::float8 from gone g`;
}

/** Removes chunks that the statistics do not count, with their postings. */
export function dropChunksStatement(range: ChunkRange | ChunksOfDocuments): Sql {
  return sql`
with ${removal(range)}
select count(*)::integer as dropped from gone`;
}

/**
 * Removes chunks with their postings and brings the statistics up to date. They count `added` from now on, which were
 * staged (null: none). A long document has millions of terms, which never leave the database. Gives the terms that no
 * chunk holds any more.
 * As with {@link corpusStatement}, the tenant's row is locked before its terms, and late: when all is counted.
 */
export function swapChunksStatement(removed: ChunkRange | ChunksOfDocuments, added: ChunkRange | null): Sql {
  const { appId } = removed;
  return sql`
with ${removal(removed)},
come as (select c.terms, c.length from chunks c where ${added === null ? FALSE : inRange(added)}),
changed as materialized (
  select t.term, sum(t.change)::integer as change
  from (
    select unnest(g.terms) as term, -1 as change from gone g
    union all
    select unnest(n.terms), 1 from come n
  ) t
  group by t.term having sum(t.change) <> 0
),
corpus as (
  insert into corpus_stats (app_id, chunk_count, total_length)
  select ${appId}, (select count(*) from come) - (select count(*) from gone),
    coalesce((select sum(n.length) from come n), 0) - coalesce((select sum(g.length) from gone g), 0)
  from (select count(*) from changed) as all_counted
  ${ON_KNOWN_CORPUS}
  returning app_id
),
terms as (
  insert into term_stats (app_id, term, chunk_count)
  select l.app_id, t.term, t.change from corpus l cross join changed t
  ${ON_KNOWN_TERM}
  returning term, chunk_count
)
select t.term from terms t where t.chunk_count <= 0`;
}

function removal(range: ChunkRange | ChunksOfDocuments): Sql {
  return sql`gone as (
  delete from chunks c
  where ${inRange(range)}
  returning c.chunk_id, c.terms, c.length
),
no_postings as (
  delete from postings p
  using gone g, unnest(g.terms) as t(term)
  where p.app_id = ${range.appId} and p.term = t.term and p.chunk_id = g.chunk_id
)`;
}

function inRange(range: ChunkRange | ChunksOfDocuments): Sql {
  if ('documentIds' in range) return ofDocuments(range);
  const { appId, documentId, revisions, from } = range;
  return sql`c.app_id = ${appId} and c.document_id = ${documentId}::uuid and c.chunk_number >= ${from} and c.revision = any(${revisions}::bigint[])`;
}

function ofDocuments({ appId, documentIds, seen }: ChunksOfDocuments): Sql {
  const live = sql`exists (
    select from documents d
    where d.app_id = c.app_id and d.external_id = c.document_id and c.revision = any(d.live_revisions))`;
  return sql`c.app_id = ${appId} and c.document_id = any(${documentIds}::uuid[]) and ${seen ? live : sql`not ${live}`}`;
}

const ON_KNOWN_CORPUS = raw(`on conflict (app_id) do update set
    chunk_count = corpus_stats.chunk_count + excluded.chunk_count,
    total_length = corpus_stats.total_length + excluded.total_length`);

const ON_KNOWN_TERM = raw(
  'on conflict (app_id, term) do update set chunk_count = term_stats.chunk_count + excluded.chunk_count',
);

/**
 * Brings the corpus statistics up to date. It is among the last statements of a transaction: the tenant's row in
 * `corpus_stats` is locked first, so that two writers wait for each other instead of deadlocking over terms.
 */
export function corpusStatement(appId: string, chunkCount: number, totalLength: number): Sql {
  return sql`
insert into corpus_stats (app_id, chunk_count, total_length)
values (${appId}, ${chunkCount}, ${totalLength})
${ON_KNOWN_CORPUS}`;
}

export function termsStatement(appId: string, terms: readonly string[], changes: readonly number[]): Sql {
  return sql`
insert into term_stats (app_id, term, chunk_count)
select ${appId}, r.term, r.change from unnest(${terms}::text[], ${changes}::integer[]) as r(term, change)
${ON_KNOWN_TERM}`;
}

/** Drops terms that no chunk holds any more. */
export function dropUnusedTermsStatement(appId: string, terms: readonly string[]): Sql {
  return sql`
delete from term_stats where app_id = ${appId} and term = any(${terms}::text[]) and chunk_count <= 0`;
}
