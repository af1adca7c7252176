import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { LecternError, type LecternClient, type ListedDocument } from '@lectern/client';
import { repeated } from '../service.js';

/** Processing step of a document. */
export interface Step {
  readonly name: string;
  readonly percentage: number;
}

/** The relevant fields of a document in the service. */
export interface KnownDocument {
  readonly id: string;
  readonly status: 'processing' | 'completed' | 'failed';
  /** Whether an ingestion job of the document is running or queued. */
  readonly busy: boolean;
  /** The current step; null: the document is queued or done. */
  readonly step: Step | null;
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

/** The folder, end user and common metadata of new documents. */
interface Target {
  /** New documents are in it, or in its subfolders as their files are in the source; unset: in no folder. */
  readonly folder: string | undefined;
  /** Whether no subfolders are used. */
  readonly flat: boolean;
  readonly endUser: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** A file with the path and hash that identify it in the service. */
interface Content {
  readonly path: string;
  readonly sourcePath: string;
  readonly hash: string;
}

/** Number of documents per listing request. */
const LISTED_AT_ONCE = 200;

/** Documents of a source, found by the path and digest in their metadata. */
export class KnownDocuments {
  constructor(
    private readonly client: LecternClient,
    private readonly target: Target,
  ) {}

  /** The newest document of each source path. */
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

  async byId(ids: readonly string[]): Promise<Map<string, KnownDocument>> {
    return new Map((await this.list('external_id', ids)).map((document) => [document.id, document]));
  }

  /** All documents of a source, including those whose files no longer exist. */
  ofSource(name: string): Promise<KnownDocument[]> {
    return this.matching({ source_path: { $regex: `^${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}/` } });
  }

  /** @returns the id of the new document */
  async ingest(content: Content): Promise<string> {
    const { folder, endUser } = this.target;
    const send = async (): Promise<string> => {
      const { external_id: id } = await this.client.ingestFile(await openAsBlob(content.path), {
        ...this.described(content),
        ...(folder === undefined ? {} : { folder_name: this.folderOf(folder, content) }),
        ...(endUser === undefined ? {} : { end_user_id: endUser }),
      });
      return id;
    };
    return repeated(send, async () => {
      const known = (await this.bySourcePath([content.sourcePath])).get(content.sourcePath);
      return known?.sourceHash === content.hash ? known.id : undefined;
    });
  }

  /** Replaces the document with the file. */
  async update(id: string, content: Content): Promise<void> {
    await repeated(async () =>
      this.client.updateFile(id, await openAsBlob(content.path), {
        ...this.described(content),
        update_strategy: 'replace',
      }),
    );
  }

  /** Deletes a document. Not an error if it no longer exists. */
  async remove(id: string): Promise<void> {
    try {
      await repeated(() => this.client.delete(id));
    } catch (error) {
      if (!(error instanceof LecternError && error.status === 404)) throw error;
    }
  }

  /** The folder of a new document. The first part of `sourcePath` names the source. */
  private folderOf(folder: string, { sourcePath }: Content): string {
    const below = this.target.flat ? [] : sourcePath.split('/').slice(1, -1);
    return below.length === 0 ? folder : [folder.replace(/\/+$/, ''), ...below].join('/');
  }

  private described({ path, sourcePath, hash }: Content) {
    const metadata = { ...this.target.metadata, source_path: sourcePath, source_sha256: hash };
    return { filename: basename(path), metadata };
  }

  private async list(field: string, values: readonly string[]): Promise<KnownDocument[]> {
    const documents: KnownDocument[] = [];
    for (let start = 0; start < values.length; start += LISTED_AT_ONCE) {
      const some = values.slice(start, start + LISTED_AT_ONCE);
      documents.push(...(await this.matching({ [field]: { $in: some } })));
    }
    return documents;
  }

  private async matching(filters: Readonly<Record<string, unknown>>): Promise<KnownDocument[]> {
    const { folder, endUser } = this.target;
    const listing = this.client.list({
      document_filters: filters,
      fields: ['external_id', 'metadata', 'system_metadata'],
      pageSize: 1_000,
      ...(folder === undefined ? {} : { folder_name: [folder], folder_depth: -1 }),
      ...(endUser === undefined ? {} : { end_user_id: endUser }),
    });
    const documents: KnownDocument[] = [];
    for await (const document of listing) documents.push(knownDocument(document));
    return documents;
  }
}

function knownDocument(listed: ListedDocument): KnownDocument {
  const { external_id: id, metadata, system_metadata: system } = listed as Listed;
  const { status, created_at: createdAt, progress, error } = system;
  return {
    id,
    status,
    busy: status === 'processing' || progress !== undefined,
    step: progress === undefined ? null : { name: progress.step_name, percentage: progress.percentage },
    error: error ?? null,
    sourcePath: metadata.source_path,
    sourceHash: metadata.source_sha256,
    createdAt,
  };
}
