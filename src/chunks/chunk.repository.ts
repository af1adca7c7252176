import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import sql from 'sql-template-tag';
import type { ChunkContext } from '../lexical/chunk-context.js';
import { readContext } from './stored-context.js';
import type { Scope } from '../auth/scope.js';
import { read } from '../database/read.js';
import type { CompiledSelection } from '../filters/document-predicate.js';
import type { DocumentRange } from '../filters/document-ranges.js';
import { isInPart, type OrderedPart } from '../filters/sql/ordered-part.js';
import { queryTerm, type QueryStatistics } from './bm25.js';
import type { FoundChunk, ScoredChunk } from './chunk.js';
import { chunkOf, isChunkRow, type ChunkRow, type PresentedRow } from './chunk-row.js';
import { SAMPLED_DOCUMENTS, SAMPLED_NEIGHBOURS } from './cost-model.js';
import { maxShare, remainingTerms, type ScoredQuery } from './fusion.js';
import { candidateStatement, type CandidateInput, type WalkInput } from './candidate-statement.js';
import { scanStatement, type ScanInput } from './scan-statement.js';
import { sampleStatement, statisticsStatement } from './statistics-statements.js';
import { exactStatement, rangesStatement, type SearchInput } from './search-statements.js';
import { VectorIndex } from './vector-index.js';
import { queryVectorText, vectorOf } from './vector-text.js';

interface StatisticsRow {
  readonly chunk_count: number;
  readonly total_length: number;
  readonly all_chunks: number;
  readonly holding: readonly number[];
}

interface SampleRow {
  readonly chunks: number;
  readonly taken: readonly number[];
  readonly near: number;
  readonly near_matching: number;
}

/** The share and the parts depend on the tenant and the selection only, not on the query. */
export interface Sample {
  /** Share of the chunks of the sampled documents that matches, 0 to 1. */
  readonly share: number;
  /** What the filter demands of fields in order, with the shares. */
  readonly parts: readonly PartShare[];
  /** Chunks of any tenant next to the query, and how many of them match. */
  readonly near: number;
  readonly nearMatching: number;
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

/** What a scan tells of the matching chunks that it did not return. */
interface ScanFacts {
  readonly nearestBy: 'scan';
  /** Best score that one of them may have without the terms left out; null where there is none. */
  readonly next: number | null;
}

/** What a walk tells of the matching chunks outside its candidates. */
interface WalkFacts {
  readonly nearestBy: 'index';
  /** Distance of the last of the nearest; null when there were fewer than asked for. */
  readonly farthest: number | null;
  /** BM25 over the candidate terms of the last of the lexical candidates; null when there were fewer than asked for. */
  readonly weakest: number | null;
  /** Lexical candidates that are among the nearest chunks. */
  readonly confirmed: number;
  /** Lexical candidates that are not, though they are nearer than the last of them. */
  readonly missed: number;
}

export type CandidateResult = (ScanFacts | WalkFacts) & {
  readonly chunks: readonly ScoredChunk[];
  /** The most that the terms which are not candidate terms may add to a score. */
  readonly restBound: number;
};

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
      terms: terms.map((term, index) => queryTerm(term, row.holding[index] ?? 0, row.chunk_count)),
    };
  }

  /**
   * The best matching chunks by exact scores over every matching chunk, in one statement with their count.
   * @param guard matching chunks above which nothing is scored.
   */
  async searchExact(
    scope: Scope,
    selection: CompiledSelection,
    query: ScoredQuery,
    { limit, guard }: { readonly limit: number; readonly guard: number },
  ): Promise<ExactResult> {
    const input = this.searchInput(scope, selection, query, limit);
    const statement = exactStatement({ ...input, guard });
    const rows = await read<PresentedRow & { matching: number }>(this.dataSource, statement);
    return {
      chunks: rows.filter(isChunkRow).map((row) => chunkOf(row, query.weights)),
      matching: rows[0]?.matching ?? 0,
    };
  }

  /** What a selection takes of the tenant's chunks, from a sample of its documents and of the query's neighbours. */
  async sample(
    scope: Scope,
    selection: CompiledSelection,
    parts: readonly OrderedPart[],
    vector: Float32Array,
  ): Promise<Sample> {
    const [row] = await read<SampleRow>(
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
    query: ScoredQuery,
    bounds: CandidateBounds & { readonly limit: number },
  ): Promise<CandidateResult> {
    const input = this.searchInput(scope, selection, query, bounds.limit);
    return bounds.nearestBy === 'scan'
      ? this.scan({ ...input, ...bounds })
      : this.walk({ ...input, ...bounds });
  }

  /** The first and the last chunk that readers see; null when there is none. */
  async ends(scope: Scope, documentId: string): Promise<DocumentEnds | null> {
    const rows = await read<EndRow>(
      this.dataSource,
      sql`select c.chunk_number, c.content, c.context, c.content_type, c.start_offset, c.end_offset, c.page_number,
            c.metadata <> '{}'::jsonb as has_metadata
          from documents d
          join chunks c on c.app_id = d.app_id and c.document_id = d.external_id and c.revision = any(d.live_revisions)
          where d.app_id = ${scope.appId} and d.external_id = ${documentId}::uuid
            and (c.chunk_number >= d.chunk_count - 2 or c.chunk_number = 0)
          order by c.chunk_number desc`,
    );
    const [row, before] = rows;
    if (row === undefined) return null;
    return {
      head: rows.at(-1)?.content ?? '',
      headType: rows.at(-1)?.content_type ?? '',
      last: {
        chunkNumber: row.chunk_number,
        content: row.content,
        context: readContext(row.context),
        contentType: row.content_type,
        startOffset: row.start_offset,
        overlap: before === undefined ? 0 : Math.max(0, before.end_offset - row.start_offset),
        pageNumber: row.page_number,
        hasMetadata: row.has_metadata,
      },
    };
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
    const rows = await read<{ hash: string; context: string; embedding: string }>(
      this.dataSource,
      sql`select encode(content_hash, 'hex') as hash, context, embedding::text as embedding from chunks
          where app_id = ${scope.appId} and document_id = ${documentId}::uuid and chunk_number >= ${from}
            and content_hash = any(${hashes.map((hash) => `\\x${hash}`)}::bytea[])`,
    );
    return rows.map(({ hash, context, embedding }) => ({
      hash,
      context: readContext(context),
      embedding: vectorOf(embedding),
    }));
  }

  /** Chunks of the documents of a selection within ranges of numbers, each once, in order. */
  async within(
    { appId }: Scope,
    selection: CompiledSelection,
    ranges: readonly DocumentRange[],
  ): Promise<FoundChunk[]> {
    if (ranges.length === 0) return [];
    const rows = await read<ChunkRow>(this.dataSource, rangesStatement(appId, selection, ranges));
    return rows.map((row) => chunkOf(row));
  }

  private async scan(input: ScanInput): Promise<CandidateResult> {
    const rows = await read<ChunkRow & Partial<ScanFacts>>(this.dataSource, scanStatement(input));
    return { nearestBy: 'scan', ...foundBy(input, rows), next: rows[0]?.next ?? null };
  }

  private async walk(input: WalkInput): Promise<CandidateResult> {
    const rows = await read<ChunkRow & Partial<WalkFacts>>(this.dataSource, candidateStatement(input));
    const { farthest = null, weakest = null, confirmed = 0, missed = 0 } = rows[0] ?? {};
    return { nearestBy: 'index', ...foundBy(input, rows), farthest, weakest, confirmed, missed };
  }

  private searchInput(
    { appId }: Scope,
    selection: CompiledSelection,
    query: ScoredQuery,
    limit: number,
  ): SearchInput {
    const index = VectorIndex.of(this.dataSource, query.vector.length);
    return { ...query, appId, selection, index, limit, vector: queryVectorText(query.vector) };
  }
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
  /** Content of the first chunk. */
  readonly head: string;
  /** Type of its text. */
  readonly headType: string;
  /** Where the addition begins to be split. */
  readonly last: LastChunk;
}

export interface LastChunk {
  readonly chunkNumber: number;
  readonly content: string;
  readonly context: ChunkContext;
  readonly contentType: string;
  readonly startOffset: number;
  /** Length of the head of the content that the chunk before it holds too. */
  readonly overlap: number;
  readonly pageNumber: number | null;
  /** Whether rules found metadata of its own. */
  readonly hasMetadata: boolean;
}

interface EndRow {
  readonly chunk_number: number;
  readonly content: string;
  readonly context: string;
  readonly content_type: string;
  readonly start_offset: number;
  readonly end_offset: number;
  readonly page_number: number | null;
  readonly has_metadata: boolean;
}

function foundBy(input: CandidateInput, rows: readonly ChunkRow[]) {
  const restBound = maxShare(input, remainingTerms(input, input.candidateTerms));
  return { chunks: rows.map((row) => chunkOf(row, input.weights)), restBound };
}
