import { Injectable } from '@nestjs/common';
import type { Scope } from '../../auth/scope.js';
import {
  addUsage,
  type ChatMessage,
  type LanguageModel,
  NO_USAGE,
  type Usage,
} from '../../models/llm/language-model.js';
import type { CitationEntry } from '../../answering/citations/citations.js';
import { standaloneQuestion } from '../../answering/prompt/conversation.js';
import { DEFAULT_RESULTS } from '../search/search.dto.js';
import {
  type StorePassage,
  type StoreSearch,
  VectorStoreSearchService,
} from '../search/vector-store-search.service.js';
import type { FileCitation, FileSearchResult } from './items.js';
import type { FileSearchTool } from './tools.js';

/** Results of a `file_search` tool. */
export interface FileSearch extends StoreSearch {
  readonly query: string;
  /** Tokens that were used to rewrite the question. */
  readonly usage: Usage;
}

/** Searches the vector stores that a `file_search` tool names. */
@Injectable()
export class FileSearchService {
  constructor(private readonly stores: VectorStoreSearchService) {}

  /** @param history the conversation before the question */
  async search(
    scope: Scope,
    tool: FileSearchTool,
    model: LanguageModel,
    question: string,
    history: readonly ChatMessage[],
  ): Promise<FileSearch> {
    const { text: query, usage } = await standaloneQuestion(model, question, history);
    const ranking = tool.ranking_options;
    const found = await this.stores.search(
      scope,
      [...new Set(tool.vector_store_ids)],
      [query],
      tool.filters,
      tool.max_num_results ?? DEFAULT_RESULTS,
      { reranks: ranking?.ranker !== 'none', minScore: ranking?.score_threshold ?? 0 },
    );
    return { ...found, query, usage: addUsage(NO_USAGE, usage) };
  }
}

export function resultOf({ fileId, filename, score, chunk, attributes }: StorePassage): FileSearchResult {
  return { file_id: fileId, filename, score, text: chunk.content, attributes };
}

/** Converts the citations of an answer to annotations of its text: one for each file and position. */
export function annotationsOf(
  citations: readonly CitationEntry[],
  passages: readonly StorePassage[],
): FileCitation[] {
  const files = new Map(passages.map(({ chunk, ...file }) => [chunk.documentId, file]));
  const annotations = new Map<string, FileCitation>();
  for (const { document_id: documentId, start, quote, page_number: page } of citations) {
    const file = files.get(documentId);
    if (file === undefined) continue;
    const place = `${start} ${file.fileId}`;
    if (annotations.has(place)) continue;
    annotations.set(place, {
      type: 'file_citation',
      file_id: file.fileId,
      filename: file.filename,
      index: start,
      quote,
      page_number: page,
    });
  }
  return [...annotations.values()];
}
