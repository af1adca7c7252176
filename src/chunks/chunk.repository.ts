import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import sql from 'sql-template-tag';
import type { Scope } from '../auth/scope.js';
import { read } from '../database/read.js';
import type { CompiledSelection } from '../filters/document-predicate.js';
import { isInPart, type OrderedPart } from '../filters/ordered-part.js';
import {
  inverseDocumentFrequency,
  meanLength,
  scoreBound,
  type CorpusStatistics,
  type QueryTerm,
} from './bm25.js';
import type { ScoredChunk } from './chunk.js';
import { chunkOf, isChunkRow, type ChunkRow, type PresentedRow } from './chunk-row.js';
import { MISSED_BY_CHANCE, PROBE_COST, SAMPLED_DOCUMENTS, SAMPLED_NEIGHBOURS } from './cost-model.js';
import { weightsFor, type FusionWeights } from './fusion.js';
import { candidateStatement, type CandidateInput, type WalkInput } from './candidate-statement.js';
import { scanStatement, type ScanInput } from './scan-statement.js';
import { sampleStatement, statisticsStatement } from './statistics-statements.js';
import { exactStatement, type SearchInput } from './search-statements.js';
import { VectorIndex } from './vector-index.js';
import { queryVectorText, vectorOf } from './vector-text.js';

/** What is searched for: one question in both its forms. */
export interface SearchQuery {
  readonly vector: Float32Array;
  /** Distinct lexical terms. */
  readonly terms: readonly string[];
  readonly weights: FusionWeights;
}

/** The corpus that a query is scored against, taken before a search. */
export interface QueryStatistics {
  readonly corpus: CorpusStatistics;
  /** Share of the chunks of all tenants, about. */
  readonly shareOfAll: number;
  readonly terms: readonly QueryTerm[];
}

interface StatisticsRow {
  readonly chunk_count: number;
  readonly total_length: number;
  readonly all_chunks: number;
  readonly holding: readonly number[];
}

export interface Sample {
  /** Share of the chunks of the sampled documents that matches, 0 to 1. */
  readonly share: number;
  /** Chunks of any tenant next to the query, and how many of them match. */
  readonly near: number;
  readonly nearMatching: number;
  /** What the filter demands of fields in order, with the shares. */
  readonly parts: readonly PartShare[];
}

interface PartShare {
  readonly part: OrderedPart;
  readonly share: number;
}

export interface ExactResult {
  readonly chunks: readonly ScoredChunk[];
  /** Matching chunks; a lower bound once it exceeds the guard, and then `chunks` is empty. */
  readonly matching: number;
}

/** How the nearest matching chunks are found: along the HNSW index, or by the distance of every one of them. */
export type Nearest =
  | ({ readonly nearestBy: 'index' } & Pick<WalkInput, 'efSearch'>)
  | ({ readonly nearestBy: 'scan' } & Pick<ScanInput, 'looksUp'>);

export type CandidateBounds = Nearest & Pick<CandidateInput, 'candidates' | 'candidateTerms'>;

export interface CandidateResult {
  readonly chunks: readonly ScoredChunk[];
  /**
   * Best score that a chunk outside the candidates may have, as far as the index found all near neighbours; -Infinity
   * where there is none.
   */
  readonly stoppingBound: number;
  /** Not so where a walk through the index gave up with fewer than asked for, or was misled. */
  readonly foundAllNear: boolean;
  /** Some of what the words found is among the nearest chunks, and most that should be is. */
  readonly isConfirmed: boolean;
}

/** Searches and reads chunks; {@link ChunkWriter} changes them. */
@Injectable()
export class ChunkRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Exact statistics of the tenant's corpus and of the query's terms in it. */
  async statistics(scope: Scope, terms: readonly string[]): Promise<QueryStatistics> {
    const [row] = await read<StatisticsRow>(this.dataSource, statisticsStatement(scope.appId, terms));
    if (row === undefined) throw new Error('the statistics statement returned no row');
    return {
      corpus: { chunkCount: row.chunk_count, totalLength: row.total_length },
      shareOfAll: row.chunk_count / Math.max(row.chunk_count, row.all_chunks, 1),
      terms: terms.map((term, index) => {
        const chunkCount = row.holding[index] ?? 0;
        return { term, chunkCount, idf: inverseDocumentFrequency(chunkCount, row.chunk_count) };
      }),
    };
  }

  /**
   * The best matching chunks by exact scores over every matching chunk, in one statement with their count.
   * @param guard matching chunks above which nothing is scored; null scores them all.
   */
  async searchExact(
    scope: Scope,
    selection: CompiledSelection,
    query: SearchQuery,
    statistics: QueryStatistics,
    bounds: { readonly limit: number; readonly guard: number | null },
  ): Promise<ExactResult> {
    const { terms } = statistics;
    const postings = terms.reduce((sum, { chunkCount }) => sum + chunkCount, 0);
    const rows = await read<PresentedRow & { matching: number }>(
      this.dataSource,
      exactStatement({
        ...this.searchInput(scope, selection, query, statistics, bounds),
        guard: bounds.guard,
        scanFrom: terms.length === 0 ? 0 : postings / (terms.length * PROBE_COST),
      }),
    );
    return { chunks: rows.filter(isChunkRow).map(chunkOf), matching: rows[0]?.matching ?? 0 };
  }

  /** What a selection takes of the tenant's chunks, from a sample of its documents and of the query's neighbours. */
  async sample(
    scope: Scope,
    selection: CompiledSelection,
    parts: readonly OrderedPart[],
    vector: Float32Array,
  ): Promise<Sample> {
    const [row] = await read<{
      chunks: number;
      taken: readonly number[];
      near: number;
      near_matching: number;
    }>(
      this.dataSource,
      sampleStatement({
        appId: scope.appId,
        selection,
        parts: parts.map(isInPart),
        vector: queryVectorText(vector),
        index: VectorIndex.of(this.dataSource, vector.length),
        documents: SAMPLED_DOCUMENTS,
        neighbours: SAMPLED_NEIGHBOURS,
      }),
    );
    if (row === undefined) throw new Error('the sample statement returned no row');
    const { chunks, taken, near, near_matching: nearMatching } = row;
    const [share = 0, ...shares] = taken.map((some) => (chunks === 0 ? 0 : some / chunks));
    return {
      share,
      near,
      nearMatching,
      parts: parts.map((part, index) => ({ part, share: shares[index] ?? 1 })),
    };
  }

  /** The best matching chunks among the nearest ones and the best by the postings of `candidateTerms`. */
  async searchCandidates(
    scope: Scope,
    selection: CompiledSelection,
    query: SearchQuery,
    statistics: QueryStatistics,
    bounds: CandidateBounds & { readonly limit: number },
  ): Promise<CandidateResult> {
    const searched = this.searchInput(scope, selection, query, statistics, bounds);
    const { bound, weights } = searched;
    const skipped = statistics.terms.filter(({ term }) => !bounds.candidateTerms.includes(term));
    const restBound = bound > 0 ? (weights.lexical * scoreBound(skipped)) / bound : 0;
    return bounds.nearestBy === 'scan'
      ? this.scan({ ...searched, ...bounds, restBound })
      : this.walk({ ...searched, ...bounds, restBound });
  }

  /** The last chunk that readers see, where an appended text begins to be split; null when there is none. */
  async last(scope: Scope, documentId: string): Promise<LastChunk | null> {
    const rows = await read<LastChunkRow>(
      this.dataSource,
      sql`select c.chunk_number, c.content, c.content_type, c.start_offset, c.end_offset, c.page_number,
            c.metadata <> '{}'::jsonb as has_metadata
          from documents d
          join chunks c on c.app_id = d.app_id and c.document_id = d.external_id and c.revision = any(d.live_revisions)
          where d.app_id = ${scope.appId} and d.external_id = ${documentId}::uuid
            and c.chunk_number >= d.chunk_count - 2
          order by c.chunk_number desc`,
    );
    const [row, before] = rows;
    if (row === undefined) return null;
    return {
      chunkNumber: row.chunk_number,
      content: row.content,
      contentType: row.content_type,
      startOffset: row.start_offset,
      overlap: before === undefined ? 0 : Math.max(0, before.end_offset - row.start_offset),
      pageNumber: row.page_number,
      hasMetadata: row.has_metadata,
    };
  }

  /**
   * Vectors of the document's chunks from number `from` on, by the SHA-256 of their content in hexadecimal: a text that
   * did not change is not embedded again.
   */
  async vectors(
    scope: Scope,
    documentId: string,
    hashes: readonly string[],
    from: number,
  ): Promise<Map<string, Float32Array>> {
    const rows = await read<{ hash: string; embedding: string }>(
      this.dataSource,
      sql`select encode(content_hash, 'hex') as hash, embedding::text as embedding from chunks
          where app_id = ${scope.appId} and document_id = ${documentId}::uuid and chunk_number >= ${from}
            and content_hash = any(${hashes.map((hash) => `\\x${hash}`)}::bytea[])`,
    );
    return new Map(rows.map(({ hash, embedding }) => [hash, vectorOf(embedding)]));
  }

  private async scan(input: ScanInput): Promise<CandidateResult> {
    const rows = await read<ChunkRow & { next: number | null }>(this.dataSource, scanStatement(input));
    const { next = null } = rows[0] ?? {};
    return {
      chunks: rows.map(chunkOf),
      stoppingBound: next === null ? -Infinity : next + input.restBound,
      foundAllNear: true,
      isConfirmed: true,
    };
  }

  private async walk(input: WalkInput): Promise<CandidateResult> {
    const rows = await read<ChunkRow & WalkFacts>(this.dataSource, candidateStatement(input));
    const { farthest = null, weakest = null, confirmed = 0, missed = 0 } = rows[0] ?? {};
    const { weights, bound, restBound } = input;
    const isMisled = missed > confirmed + MISSED_BY_CHANCE;
    const dense = weights.dense * (1 - (farthest ?? 0) / 2);
    const lexical = weakest === null ? 0 : (weights.lexical * weakest) / bound;
    return {
      chunks: rows.map(chunkOf),
      stoppingBound: isMisled ? weights.dense + weights.lexical : dense + lexical + restBound,
      foundAllNear: farthest !== null && !isMisled,
      isConfirmed: confirmed > 0 && !isMisled,
    };
  }

  private searchInput(
    scope: Scope,
    selection: CompiledSelection,
    query: SearchQuery,
    { corpus, terms }: QueryStatistics,
    { limit }: { readonly limit: number },
  ): SearchInput {
    return {
      appId: scope.appId,
      selection,
      vector: queryVectorText(query.vector),
      index: VectorIndex.of(this.dataSource, query.vector.length),
      terms: terms.map(({ term }) => term),
      idf: terms.map(({ idf }) => idf),
      meanLength: meanLength(corpus),
      bound: scoreBound(terms),
      weights: weightsFor(query.weights, terms.length),
      limit,
    };
  }
}

export interface LastChunk {
  readonly chunkNumber: number;
  readonly content: string;
  readonly contentType: string;
  readonly startOffset: number;
  /** Length of the head of the content that the chunk before it holds too. */
  readonly overlap: number;
  readonly pageNumber: number | null;
  /** Whether rules found metadata of its own. */
  readonly hasMetadata: boolean;
}

interface LastChunkRow {
  readonly chunk_number: number;
  readonly content: string;
  readonly content_type: string;
  readonly start_offset: number;
  readonly end_offset: number;
  readonly page_number: number | null;
  readonly has_metadata: boolean;
}

/** What a walk through the index gives besides chunks; the lexical part is absent where only vectors count. */
interface WalkFacts {
  readonly farthest: number | null;
  readonly weakest?: number | null;
  readonly confirmed?: number;
  readonly missed?: number;
}
