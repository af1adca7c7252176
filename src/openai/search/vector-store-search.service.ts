import { Injectable } from '@nestjs/common';
import type { Scope } from '../../auth/scope.js';
import { StoreFileRepository } from '../../corpus/vector-stores/store-file.repository.js';
import {
  VectorStoreRepository,
  type VectorStoreRow,
} from '../../corpus/vector-stores/vector-store.repository.js';
import { BadRequest } from '../../errors/index.js';
import { RetrievalService } from '../../retrieval/retrieval.service.js';
import type { RetrievedChunk, RetrieveRequest } from '../../retrieval/retrieval.types.js';
import { attributesOf } from '../attributes.js';
import { idOf, knownUuid, notFound } from '../ids.js';
import { DEFAULT_RESULTS, type SearchPageDto, type SearchRequest } from './search.dto.js';

/** Options of a search over vector stores: of its route, and of the tool `file_search`. */
export type StoreSearchOptions = Pick<SearchRequest, 'filters' | 'max_num_results' | 'ranking_options'>;

export interface StorePassage {
  readonly fileId: string;
  readonly filename: string;
  /** In [0, 1]. */
  readonly score: number;
  /** Metadata of the file, of which its attributes are a part. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly chunk: RetrievedChunk;
}

/** A search over vector stores; the question is missing. */
export type StoreSearch = Omit<RetrieveRequest, 'query'>;

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
    const { query } = request;
    const search = await this.searchOf(scope, [storeId], request);
    const passages = await this.passagesOf(scope, await this.merged(scope, query, search));
    return {
      object: 'vector_store.search_results.page',
      search_query: query,
      data: passages.map(({ fileId, filename, score, metadata, chunk }) => ({
        file_id: fileId,
        filename,
        score,
        attributes: attributesOf(metadata),
        content: [{ type: 'text', text: chunk.content }],
      })),
      has_more: false,
      next_page: null,
    };
  }

  /**
   * Returns the search over stores, and records that the stores are in use.
   * @param storeIds ids of the protocol
   * @throws NotFound for an unknown store; BadRequest for an expired store.
   */
  async searchOf(
    scope: Scope,
    storeIds: readonly string[],
    { filters, max_num_results: maxResults, ranking_options: ranking }: StoreSearchOptions,
  ): Promise<StoreSearch> {
    const stores = await this.searchable(scope, storeIds);
    await this.stores.touch(
      scope,
      stores.map(({ id }) => id),
    );
    return {
      queryImage: null,
      filter: filters,
      k: maxResults ?? DEFAULT_RESULTS,
      minScore: ranking?.score_threshold ?? 0,
      useReranking: ranking?.ranker === 'none' ? false : null,
      useColpali: false,
      outputFormat: 'text',
      padding: 0,
      folders: stores.map(({ path }) => path),
      folderDepth: 0,
      endUserId: null,
    };
  }

  /** The best passages for several queries by descending score: a passage keeps its best score. */
  private async merged(
    scope: Scope,
    queries: readonly string[],
    search: StoreSearch,
  ): Promise<readonly RetrievedChunk[]> {
    const best = new Map<string, RetrievedChunk>();
    for (const query of queries) {
      const { chunks } = await this.retrieval.retrieve(scope, { ...search, query });
      for (const chunk of chunks) {
        const place = `${chunk.documentId} ${chunk.chunkNumber}`;
        if (chunk.score > (best.get(place)?.score ?? -1)) best.set(place, chunk);
      }
    }
    return [...best.values()].sort((a, b) => b.score - a.score).slice(0, search.k);
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
  async passagesOf(scope: Scope, chunks: readonly RetrievedChunk[]): Promise<StorePassage[]> {
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
        metadata: file.metadata,
        chunk,
      };
    });
  }
}
