import type { Client } from 'openapi-fetch';
import { answered } from './answer.js';
import type { paths } from './schema.js';
import type { CallOptions, CreateFolderRequest, Folder, FolderCount, Success } from './types.js';

/** The tree of folders. A folder is named by its id or its path, with or without the slash in front. */
export class Folders {
  constructor(private readonly raw: Client<paths>) {}

  /** Makes a folder with its ancestors; one that is there is returned. */
  create(folder: CreateFolderRequest, options: CallOptions = {}): Promise<Folder> {
    return answered(this.raw.POST('/folders', { body: folder, ...options }));
  }

  list(options: CallOptions = {}): Promise<Folder[]> {
    return answered(this.raw.GET('/folders', { ...options }));
  }

  /** Every folder with the number of documents right in it. */
  counts(options: CallOptions = {}): Promise<FolderCount[]> {
    return answered(this.raw.GET('/folders/summary', { ...options }));
  }

  get(folder: string, options: CallOptions = {}): Promise<Folder> {
    return answered(this.raw.GET('/folders/{folder}', { ...at(folder), ...options }));
  }

  /** Moves a folder with everything below it. */
  move(folder: string, newPath: string, options: CallOptions = {}): Promise<Folder> {
    const body = { new_path: newPath };
    return answered(this.raw.POST('/folders/{folder}/move', { ...at(folder), body, ...options }));
  }

  /** Deletes a folder and its documents; with `recursive` the folders below as well. */
  delete(
    folder: string,
    { recursive = false, ...options }: CallOptions & { readonly recursive?: boolean } = {},
  ): Promise<Success> {
    const params = { ...at(folder).params, query: { recursive } };
    return answered(this.raw.DELETE('/folders/{folder}', { params, ...options }));
  }

  /** Puts a document into a folder, and takes it out of the one that it was in. */
  addDocument(folder: string, documentId: string, options: CallOptions = {}): Promise<Success> {
    const params = { path: { ...at(folder).params.path, document_id: documentId } };
    return answered(this.raw.POST('/folders/{folder}/documents/{document_id}', { params, ...options }));
  }

  /** Takes a document out of a folder; the document stays. */
  removeDocument(folder: string, documentId: string, options: CallOptions = {}): Promise<Success> {
    const params = { path: { ...at(folder).params.path, document_id: documentId } };
    return answered(this.raw.DELETE('/folders/{folder}/documents/{document_id}', { params, ...options }));
  }
}

function at(folder: string): { readonly params: { readonly path: { folder: string } } } {
  return { params: { path: { folder: folder.replace(/^\/+/, '') } } };
}
