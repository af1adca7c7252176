import type { CallbackManagerForRetrieverRun } from '@langchain/core/callbacks/manager';
import { Document } from '@langchain/core/documents';
import { BaseRetriever, type BaseRetrieverInput } from '@langchain/core/retrievers';
import type { LecternClient } from './client.js';
import type { RetrieveRequest } from './types.js';

export interface LecternRetrieverInput extends BaseRetrieverInput {
  readonly client: LecternClient;
  /** Fixed fields of every retrieval request: `k`, `filters`, `folder_name` and others. */
  readonly request?: Omit<RetrieveRequest, 'query' | 'query_image'>;
}

/**
 * A LangChain.js retriever for a Lectern service: `pageContent` is the text of a chunk; `metadata` contains its
 * metadata and `document_id`, `chunk_number`, `filename` and `score`.
 *
 * @example
 * const retriever = new LecternRetriever({ client, request: { k: 6, folder_name: '/manuals' } });
 * const documents = await retriever.invoke('What does error E07 mean?');
 */
export class LecternRetriever extends BaseRetriever {
  lc_namespace = ['lectern', 'retrievers'];
  private readonly client: LecternClient;
  private readonly request: Omit<RetrieveRequest, 'query' | 'query_image'>;

  constructor({ client, request = {}, ...input }: LecternRetrieverInput) {
    super(input);
    this.client = client;
    this.request = request;
  }

  static override lc_name(): string {
    return 'LecternRetriever';
  }

  override async _getRelevantDocuments(
    query: string,
    _run?: CallbackManagerForRetrieverRun,
  ): Promise<Document[]> {
    const chunks = await this.client.retrieve({ ...this.request, query });
    return chunks.map(({ content, metadata, document_id, chunk_number, filename, score }) => {
      const id = `${document_id}-${chunk_number}`;
      return new Document({
        id,
        pageContent: content,
        metadata: { ...metadata, document_id, chunk_number, filename, score },
      });
    });
  }
}
