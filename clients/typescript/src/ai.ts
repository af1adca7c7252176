import { jsonSchema, tool, type Tool } from 'ai';
import type { LecternClient } from './client.js';
import type { RetrieveRequest } from './types.js';

export { toUIMessageStream, type SourceMetadata } from './ui-message-stream.js';

export interface SearchInput {
  readonly query: string;
}

export interface Passage {
  readonly content: string;
  readonly filename: string | null;
  /** 1-based page on which the content ends; null if unknown. */
  readonly page: number | null;
  /** Page on which the content begins; absent if it is the same page. */
  readonly first_page?: number;
  readonly score: number;
  readonly document_id: string;
  readonly chunk_number: number;
}

export interface SearchToolOptions {
  /** Description of the documents. The model reads it to decide when to search. */
  readonly description?: string;
  /**
   * Fixed fields of the retrieval request: `k`, `filters`, `folder_name` and others. The model chooses only the query.
   */
  readonly request?: Omit<RetrieveRequest, 'query' | 'query_image'>;
}

const DESCRIPTION =
  'Searches the documents and returns the passages that match a question best, with the file and page that each is from.';

/**
 * A Vercel AI SDK tool that searches a Lectern service.
 *
 * @example
 * const tools = { search: lecternSearch(client, { request: { folder_name: '/manuals' } }) };
 * const { text } = await generateText({ model, tools, stopWhen: stepCountIs(4), prompt });
 */
export function lecternSearch(
  client: LecternClient,
  { description = DESCRIPTION, request = {} }: SearchToolOptions = {},
): Tool<SearchInput, Passage[]> {
  return tool({
    description,
    inputSchema: jsonSchema<SearchInput>(
      {
        type: 'object',
        properties: {
          query: { type: 'string', minLength: 1, description: 'A question or phrase in natural language.' },
        },
        required: ['query'],
        additionalProperties: false,
      },
      { validate: validated },
    ),
    execute: async ({ query }, { abortSignal: signal }): Promise<Passage[]> => {
      const chunks = await client.retrieve({ ...request, query }, signal === undefined ? {} : { signal });
      return chunks.map(({ content, filename, metadata, score, document_id, chunk_number }) => {
        const { page_number: page, first_page_number: first } = metadata;
        return {
          content,
          filename,
          page: typeof page === 'number' ? page : null,
          ...(typeof first === 'number' ? { first_page: first } : {}),
          score,
          document_id,
          chunk_number,
        };
      });
    },
  });
}

type Validated = { success: true; value: SearchInput } | { success: false; error: Error };

function validated(input: unknown): Validated {
  if (typeof input === 'object' && input !== null && 'query' in input && typeof input.query === 'string') {
    return { success: true, value: { query: input.query } };
  }
  return { success: false, error: new TypeError('query must be a string') };
}
