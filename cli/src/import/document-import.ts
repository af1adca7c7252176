import pLimit from 'p-limit';
import type { ServiceConnection } from '../connection/service-connection.js';
import { LISTED_AT_ONCE, type ImportSource, type SourceDocument } from './import-source.js';

/** Metadata key of a copy: the id of what it was copied from. */
export const ORIGIN = 'imported_from';

export type Outcome = 'copied' | 'there already' | 'passed over' | 'failed';

export interface ImportResult {
  readonly document: SourceDocument;
  readonly outcome: Outcome;
  /** Why it failed or was passed over. */
  readonly reason?: string;
}

/** Seconds that one request waits for a document. */
const WAIT_SECONDS = 60;

interface Status {
  readonly status: 'processing' | 'completed' | 'failed';
  readonly error?: string;
}

/** Copies folders and documents from one service to another. What is there already, by its origin, is passed over. */
export class DocumentImport {
  constructor(
    private readonly source: ImportSource,
    private readonly target: ServiceConnection,
  ) {}

  /** @returns how many folders there are */
  async folders(): Promise<number> {
    const folders = await this.source.folders();
    for (const { path, description } of folders) {
      const segments = path.split('/').filter((segment) => segment !== '');
      const full = `/${segments.join('/')}`;
      await this.target.post('/folders', { name: segments.at(-1) ?? path, full_path: full, description });
    }
    return folders.length;
  }

  /** A document that fails does not stop the others. @param report called for each as soon as it is done */
  async documents(concurrency: number, report: (result: ImportResult) => void): Promise<void> {
    const limit = pLimit(concurrency);
    for await (const documents of this.source.documents()) {
      const copies = await this.copies(documents.map(({ id }) => id));
      await Promise.all(
        documents.map((document) =>
          limit(async () => {
            report(await this.bring(document, copies.has(document.id)).catch(failureOf(document)));
          }),
        ),
      );
    }
  }

  private async bring(document: SourceDocument, isThere: boolean): Promise<ImportResult> {
    if (isThere) return { document, outcome: 'there already' };
    if (document.status !== 'completed') {
      return { document, outcome: 'passed over', reason: `it is ${document.status} where it comes from` };
    }
    const id = await this.send(document);
    const status = await this.settled(id);
    return status.status === 'failed'
      ? { document, outcome: 'failed', reason: status.error ?? 'its ingestion failed' }
      : { document, outcome: 'copied' };
  }

  private async send(document: SourceDocument): Promise<string> {
    const file = document.isItsFile ? await this.source.file(document.id) : null;
    const content = file ?? (await this.source.text(document.id));
    // The answer of the try before may have been lost on its way.
    const already = async (): Promise<unknown> => {
      const copy = (await this.copies([document.id])).get(document.id);
      return copy === undefined ? null : { external_id: copy };
    };
    const { body } = await this.target.send(
      'POST',
      typeof content === 'string' ? '/ingest/text' : '/ingest/file',
      () =>
        Promise.resolve(typeof content === 'string' ? asJson(document, content) : asForm(document, content)),
      already,
    );
    return (body as { readonly external_id: string }).external_id;
  }

  private async settled(id: string): Promise<Status> {
    for (;;) {
      const path = `/documents/${id}/status?wait=${WAIT_SECONDS}`;
      const { body } = await this.target.send('GET', path, () => Promise.resolve(undefined));
      const status = body as Status;
      if (status.status !== 'processing') return status;
    }
  }

  /** Ids of the copies by those of their origins. */
  private async copies(origins: readonly string[]): Promise<Map<string, string>> {
    const { body } = await this.target.post('/documents', {
      document_filters: { [ORIGIN]: { $in: origins } },
      limit: 10 * LISTED_AT_ONCE,
      fields: ['external_id', `metadata.${ORIGIN}`],
    });
    const { documents } = body as {
      readonly documents: readonly { external_id: string; metadata: { readonly [ORIGIN]: string } }[];
    };
    return new Map(documents.map(({ external_id: id, metadata }) => [metadata[ORIGIN], id]));
  }
}

function failureOf(document: SourceDocument): (error: unknown) => ImportResult {
  return (error) => ({
    document,
    outcome: 'failed',
    reason: error instanceof Error ? error.message : String(error),
  });
}

function asJson(document: SourceDocument, content: string) {
  return {
    body: JSON.stringify({ ...fieldsOf(document), content, filename: document.filename }),
    type: JSON_TYPE,
  };
}

const JSON_TYPE = 'application/json';

function asForm(document: SourceDocument, bytes: Uint8Array) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fieldsOf(document))) {
    if (value !== null) form.append(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  form.append('file', new Blob([new Uint8Array(bytes)]), document.filename ?? document.id);
  return { body: form };
}

function fieldsOf(document: SourceDocument) {
  return {
    metadata: { ...document.metadata, [ORIGIN]: document.id },
    metadata_types: document.metadataTypes,
    folder_name: document.folder,
    end_user_id: document.endUser,
    use_colpali: document.usesPages,
  };
}
