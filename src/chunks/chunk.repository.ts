import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import sql from 'sql-template-tag';
import type { ChunkContext } from '../lexical/chunk-context.js';
import { byShard, type Scope } from '../auth/scope.js';
import { isDistributed } from '../database/cluster/cluster.js';
import { read } from '../database/run.js';
import {
  compileSelection,
  documentOf,
  type DocumentRange,
  type DocumentSelection,
} from '../filters/document-predicate.js';
import type { ChunkRow, Overlap, ScoredChunk } from './chunk.js';
import { readContext, vectorOf } from '../vectors/column-text.js';
import { inUnit, componentsOf, type ScoredQuery } from './hybrid-score.js';
import {
  type FullScanInput,
  fullScanStatement,
  type HnswInput,
  hnswStatement,
  rangesStatement,
  type SearchInput,
  type StatisticsInput,
  statisticsStatement,
} from './search-statements.js';
import type { TermStatistics } from './statistics-cache.js';
import { VectorIndex } from '../vectors/vector-index.js';

/** Statistics that a search needs before it starts. */
export interface Statistics extends TermStatistics {
  /** Selectivities, 0 to 1, of the sampled selection and then of each range; undefined without a sample. */
  readonly shares?: readonly number[] | undefined;
}

interface StatisticsRow {
  readonly version: string | null;
  readonly has_vector_stores: boolean;
  readonly chunk_count: number;
  readonly frequencies: readonly number[];
  readonly sampled?: readonly number[];
}

/** Chunks of a search, best first. */
interface SearchResult {
  readonly chunks: readonly ScoredChunk[];
  /** Version of the statistics that the search saw; undefined without a result. */
  readonly version: string | null | undefined;
}

export interface HnswResult extends SearchResult {
  /** Distance of the farthest candidate; null: the search stopped before it had found all candidates. */
  readonly farthest: number | null;
  /** Number of the nearest `candidates` chunks that pass the filter; null: there is no filter. */
  readonly matchingNearest: number | null;
}

export interface FullScanResult extends SearchResult {
  /** Exact number of matching chunks. */
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
      version: row.version,
      chunkCount: row.chunk_count,
      hasVectorStores: row.has_vector_stores,
      frequencies: row.frequencies,
      shares: row.sampled === undefined ? undefined : taken.map((some) => (chunks === 0 ? 0 : some / chunks)),
    };
  }

  /** Size of the vector index that contains the tenant: of all tenants on one server, of the tenant's shard on a cluster. */
  async indexSize({ appId }: Scope): Promise<{ readonly chunks: number; readonly ofAllTenants: boolean }> {
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

  /** Scores the nearest matching chunks of the HNSW index and the candidates of the inverted index; keeps the best. */
  async hnswSearch(
    scope: Scope,
    query: ScoredQuery,
    input: Omit<HnswInput, 'appId' | 'query' | 'index'>,
  ): Promise<HnswResult> {
    const statement = hnswStatement({ ...this.searchInput(scope, query), ...input });
    const rows = await read<ScoredRow & HnswFacts>(this.dataSource, statement);
    return {
      chunks: rows.map((row) => scored(row, query)),
      version: rows[0]?.version,
      farthest: rows[0]?.farthest ?? null,
      matchingNearest: rows[0]?.matching_nearest ?? null,
    };
  }

  /** Scores every matching chunk; keeps the best and counts all. */
  async fullScan(
    scope: Scope,
    query: ScoredQuery,
    input: Omit<FullScanInput, 'appId' | 'query' | 'index'>,
  ): Promise<FullScanResult> {
    const statement = fullScanStatement({ ...this.searchInput(scope, query), ...input });
    const rows = await read<ScoredRow & Pick<FullScanResult, 'matching'>>(this.dataSource, statement);
    return {
      chunks: rows.map((row) => scored(row, query)),
      version: rows[0]?.version,
      matching: rows[0]?.matching ?? 0,
    };
  }

  /** The first and the last visible chunk; null when the document has none. */
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

  /** All visible chunks of a document in order, without content and vectors. */
  async all(scope: Scope, documentId: string): Promise<StoredChunk[]> {
    const rows = await read<Stored<StoredChunk>>(
      this.dataSource,
      sql`select c.context, c.content_type, c.start_offset, c.end_offset, c.page_number, c.metadata
          from documents d
          join chunks c on c.app_id = d.app_id and c.document_id = d.external_id and c.revision = any(d.live_revisions)
          where d.app_id = ${scope.appId} and d.external_id = ${documentId}::uuid
          order by c.chunk_number`,
    );
    return rows.map(withContext);
  }

  /**
   * Vectors of the document's chunks, from number `from` on, whose content has one of these SHA-256 sums (hexadecimal).
   * Unchanged text is not embedded again.
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

  /** Chunks of the selected documents within ranges of chunk numbers, each once, in document order. */
  async within(
    scope: Scope,
    selection: DocumentSelection,
    ranges: readonly DocumentRange[],
  ): Promise<ChunkRow[]> {
    const found = await Promise.all(
      byShard(scope, ranges, documentOf).map(([part, some]) =>
        read<StatementRow>(
          this.dataSource,
          rangesStatement(part.appId, compileSelection(part, selection), some),
        ),
      ),
    );
    return found.flat().map(chunkRow);
  }

  private searchInput({ appId }: Scope, query: ScoredQuery): Pick<SearchInput, 'appId' | 'query' | 'index'> {
    return { appId, query, index: VectorIndex.of(this.dataSource, query.vector.length) };
  }
}

/** A row with its context still encoded as in the column. */
type Stored<Row> = Omit<Row, 'context'> & { readonly context: string };

/** Aggregates that the HNSW statement repeats on every row. */
interface HnswFacts {
  readonly farthest: number | null;
  readonly matching_nearest: number | null;
}

/** A chunk row of a statement. */
type StatementRow = Stored<Omit<ChunkRow, 'overlap'>> & {
  /** End offset and page of the previous chunk; null: no previous chunk, or no known page. */
  readonly before: readonly [number, number | null] | null;
};

/** A row of the search statements. */
type ScoredRow = StatementRow & {
  readonly version: string | null;
  readonly score: number;
  /** Cosine distance from the question. */
  readonly distance: number;
};

function withContext<Row extends { readonly context: string }>(
  row: Row,
): Omit<Row, 'context'> & { readonly context: ChunkContext } {
  return { ...row, context: readContext(row.context) };
}

function chunkRow(row: StatementRow): ChunkRow {
  return {
    document_id: row.document_id,
    chunk_number: row.chunk_number,
    content: row.content,
    content_type: row.content_type,
    start_offset: row.start_offset,
    end_offset: row.end_offset,
    page_number: row.page_number,
    overlap: overlapOf(row, row.before),
    chunk_metadata: row.chunk_metadata,
    document_metadata: row.document_metadata,
    filename: row.filename,
    folder_path: row.folder_path,
    context: readContext(row.context),
  };
}

function overlapOf(
  { start_offset: start, page_number: page }: Pick<ChunkRow, 'start_offset' | 'page_number'>,
  before: StatementRow['before'],
): Overlap | null {
  if (before === null) return null;
  const [end, pageNumber] = before;
  return end > start && pageNumber !== null && pageNumber !== page
    ? { length: end - start, pageNumber }
    : null;
}

function scored(row: ScoredRow, query: ScoredQuery): ScoredChunk {
  const { score, distance } = row;
  return { ...chunkRow(row), score: inUnit(score), score_parts: componentsOf(score, distance, query) };
}

/** A stored chunk without content and vector. */
export interface StoredChunk extends Pick<
  ChunkRow,
  'context' | 'content_type' | 'start_offset' | 'end_offset' | 'page_number'
> {
  /** Metadata of the chunk's own. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** A vector of a stored chunk. */
export interface KnownVector {
  /** SHA-256 of the content. */
  readonly hash: string;
  readonly context: ChunkContext;
  readonly embedding: Float32Array;
}

/** The first and the last chunk of a document, as input for appending. */
export interface DocumentEnds {
  readonly first: Pick<ChunkRow, 'content' | 'content_type'>;
  /** Splitting resumes at this chunk. */
  readonly last: LastChunk;
}

export interface LastChunk extends Pick<
  ChunkRow,
  'chunk_number' | 'content' | 'context' | 'content_type' | 'start_offset' | 'page_number'
> {
  /** Length of the content that this chunk repeats from the one before. */
  readonly overlap: number;
  /** Whether rules extracted metadata for this chunk. */
  readonly has_metadata: boolean;
}
