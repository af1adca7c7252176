import type { Client } from 'openapi-fetch';
import { answered } from './answer.js';
import type { paths } from './schema.js';
import type {
  AccessLists,
  CallOptions,
  CreateFolderRequest,
  Folder,
  FolderWithRights,
  FolderCount,
  Success,
} from './types.js';

export interface FolderListOptions extends CallOptions {
  /** Id or path of the folder whose direct subfolders are listed; `/`: the top level. Default: folders at any depth. */
  readonly parent?: string;
  readonly skip?: number;
  /** At most 1,000, the default. */
  readonly limit?: number;
}

/** The folder tree. Methods take the id or the path of a folder, with or without the leading slash. */
export class Folders {
  constructor(private readonly raw: Client<paths>) {}

  /** Creates a folder and its ancestors. If the folder exists, returns it. */
  create(folder: CreateFolderRequest, options: CallOptions = {}): Promise<Folder> {
    return answered(this.raw.POST('/folders', { body: folder, ...options }));
  }

  /** Returns a page of the folders, ordered by path. */
  list(options: FolderListOptions = {}): Promise<Folder[]> {
    return answered(this.raw.GET('/folders', pageOf(options)));
  }

  /** Like `list`, with the number of documents directly in each folder. */
  counts(options: FolderListOptions = {}): Promise<FolderCount[]> {
    return answered(this.raw.GET('/folders/summary', pageOf(options)));
  }

  get(folder: string, options: CallOptions = {}): Promise<FolderWithRights> {
    return answered(this.raw.GET('/folders/{folder}', { ...at(folder), ...options }));
  }

  /** Changes who may read and change what lies below a folder. Lists that are left out stay; null: it has none. */
  changeAccess(
    folder: string,
    lists: Partial<AccessLists> | null,
    options: CallOptions = {},
  ): Promise<Folder> {
    const body = { access_control: lists };
    return answered(this.raw.PATCH('/folders/{folder}', { ...at(folder), body, ...options }));
  }

  /** Moves a folder with its subfolders and documents. */
  move(folder: string, newPath: string, options: CallOptions = {}): Promise<Folder> {
    const body = { new_path: newPath };
    return answered(this.raw.POST('/folders/{folder}/move', { ...at(folder), body, ...options }));
  }

  /** Deletes a folder with its documents; with `recursive` its subfolders too. */
  delete(
    folder: string,
    { recursive = false, ...options }: CallOptions & { readonly recursive?: boolean } = {},
  ): Promise<Success> {
    const params = { ...at(folder).params, query: { recursive } };
    return answered(this.raw.DELETE('/folders/{folder}', { params, ...options }));
  }

  /** Moves a document into a folder. */
  addDocument(folder: string, documentId: string, options: CallOptions = {}): Promise<Success> {
    const params = { path: { ...at(folder).params.path, document_id: documentId } };
    return answered(this.raw.POST('/folders/{folder}/documents/{document_id}', { params, ...options }));
  }

  /** Removes a document from a folder; the document is kept. */
  removeDocument(folder: string, documentId: string, options: CallOptions = {}): Promise<Success> {
    const params = { path: { ...at(folder).params.path, document_id: documentId } };
    return answered(this.raw.DELETE('/folders/{folder}/documents/{document_id}', { params, ...options }));
  }
}

function pageOf({ parent, skip, limit, ...options }: FolderListOptions) {
  const query = {
    ...(parent === undefined ? {} : { parent_id: parent }),
    ...(skip === undefined ? {} : { skip }),
    ...(limit === undefined ? {} : { limit }),
  };
  return { ...options, params: { query } };
}

function at(folder: string): { readonly params: { readonly path: { folder: string } } } {
  return { params: { path: { folder: folder.replace(/^\/+/, '') } } };
}
