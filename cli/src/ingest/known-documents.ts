import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { LecternError, type LecternClient, type ListedDocument } from '@lectern/client';
import { repeated } from '../service.js';

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

/** What the listing has of them. */
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

/** Where the documents go, and what is said of every one. */
interface Target {
  readonly folder: string | undefined;
  readonly endUser: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** A file, by what it is known by in the service. */
interface Content {
  readonly path: string;
  readonly sourcePath: string;
  readonly hash: string;
}

/** Documents asked for in one listing. */
const LISTED_AT_ONCE = 200;

/** The documents of a service that are files of a source, by the path and the digest that their metadata have. */
export class KnownDocuments {
  constructor(
    private readonly client: LecternClient,
    private readonly target: Target,
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
  async ingest(content: Content): Promise<string> {
    const { folder, endUser } = this.target;
    const send = async (): Promise<string> => {
      const { external_id: id } = await this.client.ingestFile(await openAsBlob(content.path), {
        ...this.described(content),
        ...(folder === undefined ? {} : { folder_name: folder }),
        ...(endUser === undefined ? {} : { end_user_id: endUser }),
      });
      return id;
    };
    return repeated(send, async () => {
      const known = (await this.bySourcePath([content.sourcePath])).get(content.sourcePath);
      return known?.sourceHash === content.hash ? known.id : undefined;
    });
  }

  /** Puts the file in the place of the document's text. */
  async update(id: string, content: Content): Promise<void> {
    await repeated(async () =>
      this.client.updateFile(id, await openAsBlob(content.path), {
        ...this.described(content),
        update_strategy: 'replace',
      }),
    );
  }

  /** It may be gone already. */
  async remove(id: string): Promise<void> {
    try {
      await repeated(() => this.client.delete(id));
    } catch (error) {
      if (!(error instanceof LecternError && error.status === 404)) throw error;
    }
  }

  private described({ path, sourcePath, hash }: Content) {
    const metadata = { ...this.target.metadata, source_path: sourcePath, source_sha256: hash };
    return { filename: basename(path), metadata };
  }

  private async list(field: string, values: readonly string[]): Promise<KnownDocument[]> {
    const { folder, endUser } = this.target;
    const documents: KnownDocument[] = [];
    for (let start = 0; start < values.length; start += LISTED_AT_ONCE) {
      const some = values.slice(start, start + LISTED_AT_ONCE);
      const listing = this.client.list({
        document_filters: { [field]: { $in: some } },
        fields: ['external_id', 'metadata', 'system_metadata'],
        pageSize: 1_000,
        ...(folder === undefined ? {} : { folder_name: [folder] }),
        ...(endUser === undefined ? {} : { end_user_id: endUser }),
      });
      for await (const document of listing) documents.push(knownDocument(document));
    }
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
