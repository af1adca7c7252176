import { isReservedKey } from '../../../src/metadata/typed-metadata.js';
import { Refused, type ServiceConnection } from '../connection/service-connection.js';

/** A folder of the service that is copied from. */
export interface SourceFolder {
  readonly path: string;
  readonly description: string | null;
}

/** A document of the service that is copied from. */
export interface SourceDocument {
  readonly id: string;
  readonly filename: string | null;
  readonly status: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly metadataTypes: Readonly<Record<string, string>>;
  readonly folder: string | null;
  readonly endUser: string | null;
  readonly usesPages: boolean;
  /** Whether its file is all of it: it has one, and nothing was added since. */
  readonly isItsFile: boolean;
}

interface Listed {
  readonly external_id: string;
  readonly filename?: string | null;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly metadata_types?: Readonly<Record<string, string>>;
  readonly storage_files?: readonly unknown[];
  readonly storage_info?: Readonly<Record<string, unknown>>;
  readonly system_metadata?: {
    readonly status?: string;
    readonly content?: string;
    readonly use_colpali?: boolean;
    readonly update_history?: readonly { readonly strategy?: string }[];
  };
  readonly folder_path?: string | null;
  readonly folder_name?: string | null;
  readonly end_user_id?: string | null;
}

/** Documents of one listing. */
export const LISTED_AT_ONCE = 100;

/** What `lectern import` reads from a service of the interface family. */
export class ImportSource {
  constructor(private readonly service: ServiceConnection) {}

  async folders(): Promise<SourceFolder[]> {
    const { body } = await this.service.send('GET', '/folders', () => Promise.resolve(undefined));
    const folders = body as readonly {
      name: string;
      full_path?: string | null;
      description?: string | null;
    }[];
    return folders.map(({ name, full_path: path, description }) => ({
      path: path ?? name,
      description: description ?? null,
    }));
  }

  async count(): Promise<number> {
    const { body } = await this.list(0, 1, { include_total_count: true, fields: ['external_id'] });
    return body.total_count ?? body.documents.length;
  }

  /** All documents, oldest first, so that what comes in meanwhile moves nothing. */
  async *documents(): AsyncGenerator<readonly SourceDocument[], void> {
    for (let skip = 0; ; skip += LISTED_AT_ONCE) {
      const { body } = await this.list(skip, LISTED_AT_ONCE, {});
      if (body.documents.length === 0) return;
      yield body.documents.map(sourceDocument);
    }
  }

  /** The bytes of its file; null when it has none. */
  async file(id: string): Promise<Uint8Array | null> {
    try {
      const path = `/documents/${encodeURIComponent(id)}/download_url`;
      const { body } = await this.service.send('GET', path, () => Promise.resolve(undefined));
      const response = await fetch((body as { readonly download_url: string }).download_url);
      if (!response.ok) throw new Error(`its file cannot be downloaded: ${response.status}`);
      return new Uint8Array(await response.arrayBuffer());
    } catch (error) {
      if (error instanceof Refused && error.status === 404) return null;
      throw error;
    }
  }

  /** The whole text. */
  async text(id: string): Promise<string> {
    const { body } = await this.list(0, 1, {
      document_filters: { external_id: id },
      fields: ['external_id', 'system_metadata.content'],
    });
    return body.documents[0]?.system_metadata?.content ?? '';
  }

  private async list(skip: number, limit: number, more: object) {
    const { body } = await this.service.post('/documents', {
      skip,
      limit,
      sort_by: 'created_at',
      sort_direction: 'asc',
      ...more,
    });
    return { body: body as { readonly documents: readonly Listed[]; readonly total_count?: number | null } };
  }
}

function sourceDocument(listed: Listed): SourceDocument {
  const { external_id: id, system_metadata: system = {}, storage_files: files = [] } = listed;
  const own = Object.entries(listed.metadata ?? {}).filter(([key]) => !isReservedKey(key));
  const types = Object.entries(listed.metadata_types ?? {}).filter(([key]) => !isReservedKey(key));
  const isAddedTo = (system.update_history ?? []).some(({ strategy }) => strategy === 'add');
  return {
    id,
    filename: listed.filename ?? null,
    status: system.status ?? 'completed',
    metadata: Object.fromEntries(own),
    metadataTypes: Object.fromEntries(types),
    folder: listed.folder_path ?? listed.folder_name ?? null,
    endUser: listed.end_user_id ?? null,
    usesPages: system.use_colpali ?? false,
    isItsFile: (files.length > 0 || listed.storage_info?.['bucket'] !== undefined) && !isAddedTo,
  };
}
