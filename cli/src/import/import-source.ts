import { LecternError, type LecternClient } from '@lectern/client';
import { isReservedKey } from '../../../src/index.js';

export interface SourceFolder {
  readonly path: string;
  readonly description: string | null;
}

export interface SourceDocument {
  readonly id: string;
  readonly filename: string | null;
  readonly status: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly metadataTypes: Readonly<Record<string, string>>;
  readonly folder: string | null;
  readonly endUser: string | null;
  readonly usesPages: boolean;
  /** Whether a file contains the whole document; false without a file, or if text was added to the document later. */
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

/** A folder in the listing. Compatible services may omit the optional fields. */
interface ListedFolder {
  readonly name: string;
  readonly full_path?: string | null;
  readonly description?: string | null;
}

/** Documents per listing request. */
export const LISTED_AT_ONCE = 100;

/** Reads from a compatible service. */
export class ImportSource {
  constructor(private readonly client: LecternClient) {}

  async folders(): Promise<SourceFolder[]> {
    const folders: readonly ListedFolder[] = await this.client.folders.list();
    return folders.map(({ name, full_path: path, description }) => ({
      path: path ?? name,
      description: description ?? null,
    }));
  }

  async count(): Promise<number> {
    const fields = ['external_id'];
    const { documents, total_count: total } = await this.client.listing({
      limit: 1,
      include_total_count: true,
      fields,
    });
    return total ?? documents.length;
  }

  /** All documents. The oldest come first, so that new documents do not shift the pages of the list. */
  async *documents(): AsyncGenerator<readonly SourceDocument[], void> {
    for (let skip = 0; ; skip += LISTED_AT_ONCE) {
      const { documents } = await this.client.listing({
        skip,
        limit: LISTED_AT_ONCE,
        sort_by: 'created_at',
        sort_direction: 'asc',
      });
      if (documents.length === 0) return;
      yield documents.map((document) => sourceDocument(document as Listed));
    }
  }

  async file(id: string): Promise<Blob | null> {
    try {
      const { download_url: url } = await this.client.downloadUrl(id);
      const response = await fetch(url);
      if (!response.ok) throw new Error(`its file cannot be downloaded: ${response.status}`);
      return await response.blob();
    } catch (error) {
      if (error instanceof LecternError && error.status === 404) return null;
      throw error;
    }
  }

  async text(id: string): Promise<string> {
    return (await this.client.text(id)) ?? '';
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
