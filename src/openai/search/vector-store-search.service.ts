import { Injectable } from '@nestjs/common';
import type { Scope } from '../../auth/scope.js';
import { StoreFileRepository } from '../../corpus/vector-stores/store-file.repository.js';
import {
  VectorStoreRepository,
  type VectorStoreRow,
} from '../../corpus/vector-stores/vector-store.repository.js';
import { BadRequest } from '../../errors/index.js';
import type { DocumentSelection } from '../../filters/document-predicate.js';
import type { Filter } from '../../filters/filter.js';
import { RetrievalService } from '../../retrieval/retrieval.service.js';
import type { RetrievedChunk } from '../../retrieval/retrieval.types.js';
import { attributesOf, type Attributes } from '../attributes.js';
import { idOf, knownUuid, notFound } from '../ids.js';
import type { SearchPageDto, SearchRequest } from './search.dto.js';

/** Ranking options of a search. */
export interface Ranking {
  /** Whether the passages are reranked. */
  readonly reranks: boolean;
  /** In [0, 1]. */
  readonly minScore: number;
}

/** A passage of a file in a vector store. */
export interface StorePassage {
  readonly fileId: string;
  readonly filename: string;
  /** In [0, 1]. */
  readonly score: number;
  readonly attributes: Attributes;
  readonly chunk: RetrievedChunk;
}

/** Passages of a search, by descending score, and the searched documents. */
export interface StoreSearch {
  readonly passages: readonly StorePassage[];
  readonly selection: DocumentSelection;
}

/** Searches vector stores, by a retrieval over their folders. */
@Injectable()
export class VectorStoreSearchService {
  constructor(
    private readonly stores: VectorStoreRepository,
    private readonly storeFiles: StoreFileRepository,
    private readonly retrieval: RetrievalService,
  ) {}

  /** POST /v1/vector_stores/{id}/search. */
  async page(scope: Scope, storeId: string, request: SearchRequest): Promise<SearchPageDto> {
    const { query, filters, maxResults, ranking_options: options } = request;
    const { passages } = await this.search(scope, [storeId], query, filters, maxResults, {
      reranks: options?.ranker !== 'none',
      minScore: options?.score_threshold ?? 0,
    });
    return {
      object: 'vector_store.search_results.page',
      search_query: query,
      data: passages.map(({ fileId, filename, score, attributes, chunk }) => ({
        file_id: fileId,
        filename,
        score,
        attributes,
        content: [{ type: 'text', text: chunk.content }],
      })),
      has_more: false,
      next_page: null,
    };
  }

  /**
   * Returns the best passages of stores by descending score. Several queries are merged: a passage keeps its best
   * score.
   * @param storeIds ids of the protocol
   * @throws NotFound for an unknown store; BadRequest for an expired store; the errors of retrieval.
   */
  async search(
    scope: Scope,
    storeIds: readonly string[],
    queries: readonly string[],
    filter: Filter | null,
    maxResults: number,
    { reranks, minScore }: Ranking,
  ): Promise<StoreSearch> {
    const stores = await this.searchable(scope, storeIds);
    await this.stores.touch(
      scope,
      stores.map(({ id }) => id),
    );
    const selection = { filter, folders: stores.map(({ path }) => path), folderDepth: 0, endUserId: null };
    const best = new Map<string, RetrievedChunk>();
    for (const query of queries) {
      const { chunks } = await this.retrieval.retrieve(scope, {
        ...selection,
        query,
        queryImage: null,
        k: maxResults,
        minScore,
        useReranking: reranks ? null : false,
        useColpali: false,
        outputFormat: 'text',
        padding: 0,
      });
      for (const chunk of chunks) {
        const place = `${chunk.documentId} ${chunk.chunkNumber}`;
        if (chunk.score > (best.get(place)?.score ?? -1)) best.set(place, chunk);
      }
    }
    const ranked = [...best.values()].sort((a, b) => b.score - a.score).slice(0, maxResults);
    return { passages: await this.withFiles(scope, ranked), selection };
  }

  private async searchable(scope: Scope, ids: readonly string[]): Promise<VectorStoreRow[]> {
    const uuids = new Map(ids.map((id) => [knownUuid('store', id), id]));
    const stores = await this.stores.findAll(scope, [...uuids.keys()]);
    const found = new Set(stores.map(({ id }) => id));
    for (const [uuid, id] of uuids) if (!found.has(uuid)) throw notFound('store', id);
    const expired = stores.find(({ isExpired }) => isExpired);
    if (expired !== undefined) {
      throw new BadRequest(`The vector store ${idOf('store', expired.id)} has expired`);
    }
    return stores;
  }

  /** Adds the file to each passage. Omits passages whose document was deleted meanwhile. */
  private async withFiles(scope: Scope, chunks: readonly RetrievedChunk[]): Promise<StorePassage[]> {
    const files = await this.storeFiles.filesOf(scope, [
      ...new Set(chunks.map(({ documentId }) => documentId)),
    ]);
    return chunks.flatMap((chunk) => {
      const file = files.get(chunk.documentId);
      if (file === undefined) return [];
      return {
        fileId: idOf('file', file.fileId),
        filename: file.filename ?? '',
        score: Math.min(1, Math.max(0, chunk.score)),
        attributes: attributesOf(file.metadata),
        chunk,
      };
    });
  }
}
