import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import sql, { type Sql } from 'sql-template-tag';
import type { ChunkContext } from '#reader';
import { byShard, type Scope } from '../auth/scope.js';
import { isEmbedded } from '../database/data-source.js';
import { isDistributed } from '../database/cluster/cluster.js';
import { read } from '../database/run.js';
import {
  compileSelection,
  documentOf,
  type DocumentRange,
  type DocumentSelection,
} from '../filters/document-predicate.js';
import type { ChunkRow, Overlap, ScoredChunk } from './chunk.js';
import { readContext, vectorOf, VectorIndex } from './vectors/vector-column.js';
import { inUnit, componentsOf, type ScoredQuery } from './hybrid-score.js';
import {
  type FullScanInput,
  fullScanStatement,
  type HnswInput,
  hnswStatement,
  PARALLEL_LOOKUPS,
  rangesStatement,
  type SampleInput,
  statisticsStatement,
} from './search-statements.js';

/** Statistics of a tenant shard for the terms of a question. */
export interface TermStatistics {
  /** Version of these statistics, new after every change; null: the shard never had a chunk. */
  readonly version: string | null;
  readonly chunkCount: number;
  /** Number of chunks that everyone in the tenant may read; for a browser token, of those within its bound. Scores depend on this number only. */
  readonly sharedCount: number;
  /** Whether the folder of vector stores exists. A search without folders excludes it. */
  readonly hasVectorStores: boolean;
  /** Length of the posting list of each key of the inverted index, level by level for each term. */
  readonly postings: readonly number[];
  /** Document frequency of each key: like `postings`, but only chunks that everyone in the tenant may read. */
  readonly frequencies: readonly number[];
}

export interface Statistics extends TermStatistics {
  /** Shares of the sampled chunks, 0 to 1, that pass the selection and then each range; empty without a sample. */
  readonly shares: readonly number[];
}

interface StatisticsRow extends Pick<TermStatistics, 'version'> {
  readonly has_vector_stores: boolean;
  readonly chunk_count: number;
  readonly shared_count: number;
  /** Length of the posting list and document frequency of each key. */
  readonly counts: readonly (readonly [number, number])[];
  readonly sampled?: readonly number[];
}

/** Chunks of a search, best first. */
export interface SearchResult {
  readonly chunks: readonly ScoredChunk[];
  /** Version of the statistics when the search ran; undefined if it found no chunks. */
  readonly version: string | null | undefined;
}

export interface HnswResult extends SearchResult {
  /** Distance of the farthest candidate; null: the search stopped before it had found all candidates. */
  readonly farthest: number | null;
  /** Number of matching chunks among the `candidates` nearest chunks of the tenant; null: they were not counted. */
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

  /**
   * @param keys keys of the inverted index
   * @param sample selection whose selectivity is sampled; null: no sample
   * @param bound condition on the documents `d` from which the document frequencies come; null: no further condition
   */
  async statistics(
    { appId }: Scope,
    keys: readonly bigint[],
    sample: SampleInput | null,
    bound: Sql | null = null,
  ): Promise<Statistics> {
    const statement = statisticsStatement(appId, keys, sample, bound);
    const [row] = await read<StatisticsRow>(this.dataSource, statement);
    if (row === undefined) throw new Error('the statistics statement returned no row');
    const [chunks = 0, ...taken] = row.sampled ?? [];
    return {
      version: row.version,
      chunkCount: row.chunk_count,
      sharedCount: row.shared_count,
      hasVectorStores: row.has_vector_stores,
      postings: row.counts.map(([all]) => all),
      frequencies: row.counts.map(([, shared]) => shared),
      shares: taken.map((some) => (chunks === 0 ? 0 : some / chunks)),
    };
  }

  /**
   * Number of chunks in the vector index that contains the tenant. One server has one index for all tenants; a cluster
   * has an index for each of its table shards.
   */
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

  /**
   * Scores the nearest matching chunks of the HNSW index and the candidates of the inverted index. Returns the best.
   */
  async hnswSearch({ appId }: Scope, input: Omit<HnswInput, 'appId' | 'index'>): Promise<HnswResult> {
    const { query } = input;
    const statement = hnswStatement({ ...input, appId, index: this.indexFor(query) });
    const rows = await read<HnswRow>(this.dataSource, statement);
    return {
      ...resultOf(rows, query),
      farthest: rows[0]?.farthest ?? null,
      matchingNearest: rows[0]?.matching_nearest ?? null,
    };
  }

  /** Scores and counts all matching chunks. Returns the best chunks. */
  async fullScan({ appId }: Scope, input: Omit<FullScanInput, 'appId' | 'index'>): Promise<FullScanResult> {
    const { query } = input;
    // The embedded database has one process, and the nodes of a cluster do not see the settings of a transaction.
    const isSerial =
      input.lookups === 'parallel' && (isEmbedded(this.dataSource) || (await isDistributed(this.dataSource)));
    const lookups = isSerial ? 'serial' : input.lookups;
    const statement = fullScanStatement({ ...input, lookups, appId, index: this.indexFor(query) });
    const settings = lookups === 'parallel' ? PARALLEL_LOOKUPS : undefined;
    const rows = await read<ScoredRow & Pick<FullScanResult, 'matching'>>(
      this.dataSource,
      statement,
      settings,
    );
    return { ...resultOf(rows, query), matching: rows[0]?.matching ?? 0 };
  }

  /** The first and the last visible chunk; null if the document has no visible chunk. */
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
    return { first, last: { ...last, context: readContext(last.context), overlap } };
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
    return rows.map((row) => ({ ...row, context: readContext(row.context) }));
  }

  /**
   * Returns the vectors of a document's chunks that have at least the number `from` and a content with one of these
   * SHA-256 digests (hexadecimal). Unchanged text then need not be embedded again.
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
    return rows.map(({ hash, context, embedding }) => {
      return { hash, context: readContext(context), embedding: vectorOf(embedding) };
    });
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

  private indexFor({ vector }: ScoredQuery): VectorIndex {
    return VectorIndex.of(this.dataSource, vector.length);
  }
}

/** A row whose context is still encoded as in the column. */
type Stored<Row> = Omit<Row, 'context'> & { readonly context: string };

type StatementRow = Stored<Omit<ChunkRow, 'overlap'>> & {
  /** End offset and page of the previous chunk; null: there is no previous chunk, or this chunk has no page. */
  readonly before: readonly [number, number | null] | null;
};

type ScoredRow = StatementRow & {
  readonly version: string | null;
  readonly score: number;
  /** Cosine distance from the question. */
  readonly distance: number;
};

/** A row of the HNSW statement. Every row repeats the aggregates of the statement. */
type HnswRow = ScoredRow & Pick<HnswResult, 'farthest'> & { readonly matching_nearest: number | null };

function chunkRow(row: StatementRow): ChunkRow {
  return {
    document_id: row.document_id,
    chunk_number: row.chunk_number,
    content: row.content,
    content_type: row.content_type,
    start_offset: row.start_offset,
    end_offset: row.end_offset,
    page_number: row.page_number,
    overlap: overlapOf(row),
    chunk_metadata: row.chunk_metadata,
    document_metadata: row.document_metadata,
    filename: row.filename,
    folder_path: row.folder_path,
    context: readContext(row.context),
  };
}

function overlapOf({ start_offset: start, page_number: page, before }: StatementRow): Overlap | null {
  if (before === null) return null;
  const [end, pageNumber] = before;
  const isOnOtherPage = pageNumber !== null && pageNumber !== page;
  return end > start && isOnOtherPage ? { length: end - start, pageNumber } : null;
}

function resultOf(rows: readonly ScoredRow[], query: ScoredQuery): SearchResult {
  const chunks = rows.map((row) => {
    const { score, distance } = row;
    return { ...chunkRow(row), score: inUnit(score), score_parts: componentsOf(score, distance, query) };
  });
  return { chunks, version: rows[0]?.version };
}

/** A stored chunk without content and vector. */
export interface StoredChunk extends Pick<
  ChunkRow,
  'context' | 'content_type' | 'start_offset' | 'end_offset' | 'page_number'
> {
  /** Metadata of the chunk itself, without the metadata of its document. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

export interface KnownVector {
  /** SHA-256 of the content. */
  readonly hash: string;
  readonly context: ChunkContext;
  readonly embedding: Float32Array;
}

/** The first and the last chunk of a document, as input for appending. */
export interface DocumentEnds {
  readonly first: Pick<ChunkRow, 'content' | 'content_type'>;
  /** Splitting of the appended text resumes at this chunk. */
  readonly last: LastChunk;
}

export interface LastChunk extends Pick<
  ChunkRow,
  'chunk_number' | 'content' | 'context' | 'content_type' | 'start_offset' | 'page_number'
> {
  /** Length of the text that this chunk repeats from the previous chunk, in UTF-16 code units. */
  readonly overlap: number;
  /** Whether rules extracted metadata for this chunk. */
  readonly has_metadata: boolean;
}
