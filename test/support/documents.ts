import type { Client } from './client.js';
import { until } from './until.js';

/** A document record, with the members that specs read. */
export interface DocumentRecord {
  readonly external_id: string;
  readonly filename: string | null;
  readonly content_type: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly chunk_ids: readonly string[];
  readonly folder_path: string | null;
  readonly page_count: number | null;
  readonly storage_files: readonly {
    readonly key: string;
    readonly version: number;
    readonly filename: string;
  }[];
  readonly system_metadata: {
    readonly status: string;
    readonly version: number;
    readonly chunk_count: number;
    readonly page_count: number | null;
    readonly progress?: object;
    readonly error?: string;
    readonly page_view?: 'drawn' | 'stored' | null;
    readonly drawn_page_count?: number;
    readonly content?: string;
    readonly update_history: readonly {
      readonly version: number;
      readonly strategy: string;
      readonly filename?: string;
      readonly end_user_id?: string | null;
    }[];
  };
}

export interface Chunk {
  readonly content: string;
  readonly score: number;
  readonly document_id: string;
  readonly chunk_number: number;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly filename: string | null;
  readonly is_padding: boolean;
}

export class Documents {
  constructor(private readonly client: () => Client) {}

  async ingestText(content: string, more: object = {}): Promise<DocumentRecord> {
    const answer = await this.client().post('/ingest/text', { content, ...more });
    if (answer.status !== 200) throw new Error(answer.text);
    return this.settled((answer.json() as DocumentRecord).external_id);
  }

  async ingestFile(
    name: string,
    bytes: Uint8Array,
    more: Readonly<Record<string, string>> = {},
  ): Promise<DocumentRecord> {
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(bytes)]), name);
    for (const [key, value] of Object.entries(more)) form.append(key, value);
    const answer = await this.client().post('/ingest/file', form);
    if (answer.status !== 200) throw new Error(answer.text);
    return this.settled((answer.json() as DocumentRecord).external_id);
  }

  /** Waits until the document is no longer processing. */
  async settled(id: string): Promise<DocumentRecord> {
    return until(
      `document ${id} is processed`,
      async () => {
        const record = await this.get(id);
        return record.system_metadata.status !== 'processing' && record;
      },
      { seconds: 300 },
    );
  }

  async get(id: string): Promise<DocumentRecord> {
    const answer = await this.client().get(`/documents/${id}`);
    if (answer.status !== 200) throw new Error(`document ${id}: ${answer.text}`);
    return answer.json() as DocumentRecord;
  }

  /** The document as other routes show it: without how its pages are shown. */
  async record(id: string): Promise<DocumentRecord> {
    const { system_metadata: system, ...document } = await this.get(id);
    const { page_view: _view, drawn_page_count: _count, ...shown } = system;
    return { ...document, system_metadata: shown };
  }

  async text(id: string): Promise<string> {
    const answer = await this.client().post('/documents', {
      document_filters: { external_id: id },
      fields: ['system_metadata.content'],
    });
    const { documents } = answer.json() as { documents: DocumentRecord[] };
    return documents[0]?.system_metadata.content ?? '';
  }

  async retrieve(body: object): Promise<Chunk[]> {
    const answer = await this.client().post('/retrieve/chunks', body);
    if (answer.status !== 200) throw new Error(answer.text);
    return answer.json() as Chunk[];
  }

  /**
   * Returns all chunks of a document, in order. The search returns all of them, because its k is the number of chunks.
   */
  async chunks(id: string): Promise<Chunk[]> {
    const chunks = await this.retrieve({ query: 'anything', k: 1000, filters: { external_id: id } });
    return chunks.sort((a, b) => a.chunk_number - b.chunk_number);
  }
}

/** Joins the text of chunks by their offsets; throws if a character is missing. */
export function textOf(chunks: readonly Chunk[]): string {
  let text = '';
  for (const { content, metadata } of chunks) {
    const start = Number(metadata['start_offset']);
    if (start > text.length) throw new Error(`nothing covers ${text.length} to ${start}`);
    text = text.slice(0, start) + content;
  }
  return text;
}
