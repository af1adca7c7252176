import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { Refused, type ServiceConnection } from '../connection/service-connection.js';

/** Where the service is with a document. */
export interface Step {
  readonly name: string;
  readonly percentage: number;
}

/** A document of the service, as far as it matters here. */
export interface KnownDocument {
  readonly id: string;
  readonly status: 'processing' | 'completed' | 'failed';
  /** Work is going on, or waits for its turn. */
  readonly busy: boolean;
  /** null: it waits for its turn, or is done. */
  readonly step: Step | null;
  /** Why the last work on it failed. */
  readonly error: string | null;
  readonly sourcePath: string;
  readonly sourceHash: string;
  /** ISO 8601. */
  readonly createdAt: string;
}

interface Listed {
  readonly external_id: string;
  readonly metadata: { readonly source_path: string; readonly source_sha256: string };
  readonly system_metadata: {
    readonly status: KnownDocument['status'];
    readonly created_at: string;
    readonly progress?: { readonly step_name: string; readonly percentage: number };
    readonly error?: string;
  };
}

export interface ClientOptions {
  readonly folder: string | undefined;
  readonly endUser: string | undefined;
  /** Of every document. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Documents asked for in one listing. */
const LISTED_AT_ONCE = 200;

/** The REST API as `lectern ingest` uses it. */
export class LecternClient {
  constructor(
    private readonly service: ServiceConnection,
    private readonly options: ClientOptions,
  ) {}

  /** The newest document of each source path that has one. */
  async bySourcePath(paths: readonly string[]): Promise<Map<string, KnownDocument>> {
    const found = new Map<string, KnownDocument>();
    for (const document of await this.list('source_path', paths)) {
      const other = found.get(document.sourcePath);
      if (other === undefined || other.createdAt < document.createdAt) {
        found.set(document.sourcePath, document);
      }
    }
    return found;
  }

  /** Documents by id; one that is gone is missing. */
  async byId(ids: readonly string[]): Promise<Map<string, KnownDocument>> {
    return new Map((await this.list('external_id', ids)).map((document) => [document.id, document]));
  }

  /** @returns the id of the new document */
  async ingest(path: string, sourcePath: string, hash: string): Promise<string> {
    const { folder, endUser } = this.options;
    const scope = {
      ...(folder === undefined ? {} : { folder_name: folder }),
      ...(endUser === undefined ? {} : { end_user_id: endUser }),
    };
    return this.sendFile('/ingest/file', path, sourcePath, hash, scope, async () => {
      // The answer of the try before may have been lost on its way.
      const known = (await this.bySourcePath([sourcePath])).get(sourcePath);
      return known?.sourceHash === hash ? known.id : null;
    });
  }

  /** Puts the file in the place of the document's text. */
  async update(id: string, path: string, sourcePath: string, hash: string): Promise<string> {
    const target = `/documents/${encodeURIComponent(id)}/update_file`;
    return this.sendFile(target, path, sourcePath, hash, { update_strategy: 'replace' }, () =>
      Promise.resolve(null),
    );
  }

  async remove(id: string): Promise<void> {
    try {
      await this.service.send('DELETE', `/documents/${encodeURIComponent(id)}`, () =>
        Promise.resolve(undefined),
      );
    } catch (error) {
      if (!(error instanceof Refused && error.status === 404)) throw error;
    }
  }

  private async list(field: string, values: readonly string[]): Promise<KnownDocument[]> {
    const query = new URLSearchParams();
    if (this.options.folder !== undefined) query.set('folder_name', this.options.folder);
    if (this.options.endUser !== undefined) query.set('end_user_id', this.options.endUser);
    const documents: KnownDocument[] = [];
    for (let start = 0; start < values.length; start += LISTED_AT_ONCE) {
      const { body } = await this.service.post(`/documents?${query.toString()}`, {
        document_filters: { [field]: { $in: values.slice(start, start + LISTED_AT_ONCE) } },
        limit: 1_000,
        fields: ['external_id', 'metadata', 'system_metadata'],
      });
      const { documents: listed } = body as { readonly documents: readonly Listed[] };
      documents.push(...listed.map(knownDocument));
    }
    return documents;
  }

  /** @param already asked before every try but the first: the id when the work is done. */
  private async sendFile(
    target: string,
    path: string,
    sourcePath: string,
    hash: string,
    fields: Readonly<Record<string, string>>,
    already: () => Promise<string | null>,
  ): Promise<string> {
    const metadata = { ...this.options.metadata, source_path: sourcePath, source_sha256: hash };
    const { body } = await this.service.send(
      'POST',
      target,
      async () => {
        const form = new FormData();
        for (const [name, value] of Object.entries(fields)) form.append(name, value);
        form.append('metadata', JSON.stringify(metadata));
        form.append('file', await openAsBlob(path), basename(path));
        return { body: form };
      },
      already,
    );
    const record = body as Pick<Listed, 'external_id'> | string;
    return typeof record === 'string' ? record : record.external_id;
  }
}

function knownDocument({ external_id, metadata, system_metadata }: Listed): KnownDocument {
  const { status, created_at, progress, error } = system_metadata;
  return {
    id: external_id,
    status,
    busy: status === 'processing' || progress !== undefined,
    step: progress === undefined ? null : { name: progress.step_name, percentage: progress.percentage },
    error: error ?? null,
    sourcePath: metadata.source_path,
    sourceHash: metadata.source_sha256,
    createdAt: created_at,
  };
}
