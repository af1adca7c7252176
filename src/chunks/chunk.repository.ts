import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import sql from 'sql-template-tag';
import type { ChunkContext } from '../lexical/chunk-context.js';
import type { Scope } from '../auth/scope.js';
import { byPart } from '../auth/tenant-parts.js';
import { isDistributed } from '../database/cluster/cluster.js';
import { read } from '../database/read.js';
import { run } from '../database/run.js';
import { compileSelection, type DocumentSelection } from '../filters/document-predicate.js';
import { documentOf, type DocumentRange } from '../filters/document-ranges.js';
import type { ChunkRow, ScoredChunk } from './chunk.js';
import { readContext, vectorOf } from './column-text.js';
import { inUnit, partsOf, type ScoredQuery } from './scores.js';
import {
  measureStatement,
  rangesStatement,
  walkStatement,
  type MeasureInput,
  type SearchInput,
  type WalkInput,
} from './search-statements.js';
import { statisticsStatement, type StatisticsInput } from './statistics-statement.js';
import { VectorIndex } from './vector-index.js';

/** Documents that a sample of texts is taken of, the newest: their ids begin with the time. */
const NEWEST_DOCUMENTS = 40;

/** What is known before a search. */
export interface Statistics {
  /** Chunks of the tenant. */
  readonly chunkCount: number;
  /** Chunks under each key. */
  readonly holding: readonly number[];
  /** Where a selection was asked for: the share of the tenant's chunks that it takes, and those of its parts; 0 to 1. */
  readonly shares: readonly number[] | undefined;
}

interface StatisticsRow {
  readonly chunk_count: number;
  readonly holding: readonly number[];
  readonly sampled?: readonly number[];
}

export interface WalkResult {
  /** Best first. */
  readonly chunks: readonly ScoredChunk[];
  /** Distance of the last of the nearest chunks; null: the walk gave up before it had as many as asked for. */
  readonly farthest: number | null;
  /** Matching ones among as many chunks, the nearest of all; null: all match. */
  readonly around: number | null;
}

export interface MeasureResult {
  /** Best first. */
  readonly chunks: readonly ScoredChunk[];
  /** Matching chunks, counted. */
  readonly matching: number;
}

/** Searches and reads chunks; {@link ChunkWriter} changes them. */
@Injectable()
export class ChunkRepository {
  constructor(private readonly dataSource: DataSource) {}

  async statistics({ appId }: Scope, input: Omit<StatisticsInput, 'appId'>): Promise<Statistics> {
    const [row] = await read<StatisticsRow>(this.dataSource, statisticsStatement({ appId, ...input }));
    if (row === undefined) throw new Error('the statistics statement returned no row');
    const [chunks = 0, ...taken] = row.sampled ?? [];
    return {
      chunkCount: row.chunk_count,
      holding: row.holding,
      shares: row.sampled === undefined ? undefined : taken.map((some) => (chunks === 0 ? 0 : some / chunks)),
    };
  }

  /** Chunks in the vector index that holds those of the tenant: on one server those of all, on a cluster those of its shard. */
  async indexed({ appId }: Scope): Promise<{ readonly chunks: number; readonly ofAllTenants: boolean }> {
    const ofAllTenants = !(await isDistributed(this.dataSource));
    const statement = ofAllTenants
      ? sql`select coalesce(sum(chunk_count), 0)::float8 as chunks from corpus_stats`
      : sql`select coalesce(sum(r.result::float8), 0) as chunks
            from pg_dist_shard_placement p
            cross join lateral master_run_on_worker(array[p.nodename], array[p.nodeport::integer],
              array[format('select coalesce(sum(chunk_count), 0) from %I', shard_name('corpus_stats', p.shardid))], false) r
            where p.shardid = get_shard_id_for_distribution_column('corpus_stats', ${appId}::text) and r.success`;
    const [row] = await read<{ chunks: number }>(this.dataSource, statement);
    return { chunks: row?.chunks ?? 0, ofAllTenants };
  }

  /** The best of the matching chunks that are nearest to the question, and of those with its words. */
  async walk(
    scope: Scope,
    query: ScoredQuery,
    input: Omit<WalkInput, 'appId' | 'query' | 'index'>,
  ): Promise<WalkResult> {
    const statement = walkStatement({ ...this.searchInput(scope, query), ...input });
    const rows = await read<ScoredRow & Omit<WalkResult, 'chunks'>>(this.dataSource, statement);
    return {
      chunks: rows.map(({ farthest: _, around: __, ...row }) => scored(row, query)),
      farthest: rows[0]?.farthest ?? null,
      around: rows[0]?.around ?? null,
    };
  }

  /** The best of all matching chunks, and their number. */
  async measure(
    scope: Scope,
    query: ScoredQuery,
    input: Omit<MeasureInput, 'appId' | 'query' | 'index'>,
  ): Promise<MeasureResult> {
    const statement = measureStatement({ ...this.searchInput(scope, query), ...input });
    const rows = await read<ScoredRow & Pick<MeasureResult, 'matching'>>(this.dataSource, statement);
    return {
      chunks: rows.map(({ matching: _, ...row }) => scored(row, query)),
      matching: rows[0]?.matching ?? 0,
    };
  }

  /** The first and the last chunk that readers see; null when there is none. */
  async ends(scope: Scope, documentId: string): Promise<DocumentEnds | null> {
    const rows = await read<Stored<Omit<LastChunk, 'overlap'>> & Pick<ChunkRow, 'end_offset'>>(
      this.dataSource,
      sql`select c.chunk_number, c.content, c.context, c.content_type, c.start_offset, c.end_offset, c.page_number,
            c.metadata <> '{}'::jsonb as has_metadata
          from documents d
          join chunks c on c.app_id = d.app_id and c.document_id = d.external_id and c.revision = any(d.live_revisions)
          where d.app_id = ${scope.appId} and d.external_id = ${documentId}::uuid
            and (c.chunk_number >= d.chunk_count - 2 or c.chunk_number = 0)
          order by c.chunk_number desc`,
    );
    const [last, before] = rows;
    const first = rows.at(-1);
    if (last === undefined || first === undefined) return null;
    const overlap = before === undefined ? 0 : Math.max(0, before.end_offset - last.start_offset);
    return { first, last: { ...withContext(last), overlap } };
  }

  /**
   * Vectors of the document's chunks from number `from` on whose content has one of these SHA-256 sums (hexadecimal),
   * with what they were made of: a text that did not change is not embedded again.
   */
  async vectors(
    scope: Scope,
    documentId: string,
    hashes: readonly string[],
    from: number,
  ): Promise<KnownVector[]> {
    const rows = await read<Stored<Omit<KnownVector, 'embedding'>> & { readonly embedding: string }>(
      this.dataSource,
      sql`select encode(content_hash, 'hex') as hash, context, embedding::text as embedding from chunks
          where app_id = ${scope.appId} and document_id = ${documentId}::uuid and chunk_number >= ${from}
            and content_hash = any(${hashes.map((hash) => `\\x${hash}`)}::bytea[])`,
    );
    return rows.map((row) => ({ ...withContext(row), embedding: vectorOf(row.embedding) }));
  }

  /** Chunks of the documents of a selection within ranges of numbers, each once, those of a document in order. */
  async within(
    scope: Scope,
    selection: DocumentSelection,
    ranges: readonly DocumentRange[],
  ): Promise<ChunkRow[]> {
    const found = await Promise.all(
      byPart(scope, ranges, documentOf).map(([part, some]) =>
        read<Stored<ChunkRow>>(
          this.dataSource,
          rangesStatement(part.appId, compileSelection(part, selection), some),
        ),
      ),
    );
    return found.flat().map(withContext);
  }

  private searchInput({ appId }: Scope, query: ScoredQuery): Pick<SearchInput, 'appId' | 'query' | 'index'> {
    return { appId, query, index: VectorIndex.of(this.dataSource, query.vector.length) };
  }
}

/** A row whose context is as the column has it. */
type Stored<Row> = Omit<Row, 'context'> & { readonly context: string };

/** A row of the search statements. */
type ScoredRow = Stored<ChunkRow> & {
  readonly score: number;
  /** Cosine distance from the question. */
  readonly distance: number;
};

function withContext<Row extends { readonly context: string }>(
  row: Row,
): Omit<Row, 'context'> & { readonly context: ChunkContext } {
  return { ...row, context: readContext(row.context) };
}

function scored({ distance, ...row }: ScoredRow, query: ScoredQuery): ScoredChunk {
  const { score } = row;
  return { ...withContext(row), score: inUnit(score), score_parts: partsOf(score, distance, query) };
}

/** A vector of a stored chunk. */
export interface KnownVector {
  /** Of the content. */
  readonly hash: string;
  readonly context: ChunkContext;
  readonly embedding: Float32Array;
}

/** What an addition to a document has to know of it. */
export interface DocumentEnds {
  readonly first: Pick<ChunkRow, 'content' | 'content_type'>;
  /** Where the addition begins to be split. */
  readonly last: LastChunk;
}

export interface LastChunk extends Pick<
  ChunkRow,
  'chunk_number' | 'content' | 'context' | 'content_type' | 'start_offset' | 'page_number'
> {
  /** Length of the head of the content that the chunk before it holds too. */
  readonly overlap: number;
  /** Whether rules found metadata of its own. */
  readonly has_metadata: boolean;
}

/** How the newest documents of the installation begin: a sample of what is taken in, for its operator. */
export async function recentTexts(dataSource: DataSource): Promise<string[]> {
  const rows = await run<{ text: string }>(
    dataSource,
    sql`select left(c.content, 500) as text
        from (select d.app_id, d.external_id, d.live_revisions from documents d order by d.external_id desc limit ${NEWEST_DOCUMENTS}) d
        join chunks c on c.app_id = d.app_id and c.document_id = d.external_id and c.chunk_number = 0
          and c.revision = any(d.live_revisions)`,
  );
  return rows.map(({ text }) => text);
}
