export interface DemoRecord {
  readonly external_id: string;
  readonly system_metadata: {
    readonly status: string;
    readonly version: number;
    readonly chunk_count: number;
    readonly page_count: number | null;
    readonly error?: string;
    readonly progress?: { readonly step_name: string; readonly percentage: number } | null;
  };
}

export interface Completion {
  readonly completion: string;
  readonly sources: readonly unknown[];
  readonly metadata: { readonly model: string; readonly timings_ms: Readonly<Record<string, number>> };
}

interface Grouped {
  readonly groups: readonly {
    readonly main_chunk: {
      readonly filename: string | null;
      readonly score: number;
      readonly content: string;
      readonly metadata: Readonly<Record<string, unknown>>;
    };
  }[];
}

const LOOK_EVERY_MS = 150;

/** The REST API as the demo uses it. */
export class DemoClient {
  constructor(
    private readonly url: string,
    private readonly key: string,
  ) {}

  async ingest(filename: string, type: string, bytes: Buffer): Promise<string> {
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(bytes)], { type }), filename);
    form.append('metadata', JSON.stringify({ demo: true }));
    form.append('use_colpali', 'true');
    const record = await this.send<DemoRecord>('POST', '/ingest/file', form);
    return record.external_id;
  }

  /** Waits until the document is completed. @throws Error with the reason when it failed. */
  async completed(id: string, report: (text: string) => void): Promise<DemoRecord> {
    for (;;) {
      const record = await this.send<DemoRecord>('GET', `/documents/${id}`);
      const { status, error, progress } = record.system_metadata;
      if (status === 'completed') return record;
      if (status === 'failed') throw new Error(`ingestion failed: ${error ?? ''}`);
      report(progress ? `${progress.step_name} ${progress.percentage} %` : status);
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  }

  retrieve(query: string, k: number): Promise<Grouped> {
    return this.send('POST', '/retrieve/chunks/grouped', { query, k });
  }

  /** The image of a page of a document, a PNG. */
  async pageImage(id: string, page: number): Promise<Buffer> {
    const asked = { document_id: id, start_page: page, end_page: page };
    const { pages } = await this.send<{ pages: string[] }>('POST', '/documents/pages', asked);
    return Buffer.from(pages[0]?.split(',')[1] ?? '', 'base64');
  }

  /** What is on pages that look like an image. */
  retrieveByImage(image: Uint8Array, k: number): Promise<Grouped> {
    const query_image = Buffer.from(image).toString('base64');
    return this.send('POST', '/retrieve/chunks/grouped', {
      query_image,
      k,
      use_colpali: true,
      output_format: 'text',
    });
  }

  query(query: string): Promise<Completion> {
    return this.send('POST', '/query', { query, k: 4, inline_citations: true });
  }

  updateText(id: string, content: string): Promise<DemoRecord> {
    return this.send('POST', `/documents/${id}/update_text?update_strategy=add`, { content });
  }

  private async send<T>(method: string, path: string, body?: unknown): Promise<T> {
    const form = body instanceof FormData;
    const response = await fetch(this.url + path, {
      method,
      headers: {
        Authorization: `Bearer ${this.key.trim()}`,
        ...(body !== undefined && !form ? { 'Content-Type': 'application/json' } : {}),
      },
      ...(body === undefined ? {} : { body: form ? body : JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }
}
