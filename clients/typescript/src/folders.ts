import type { Client } from 'openapi-fetch';
import { answered } from './answer.js';
import type { paths } from './schema.js';
import type { CallOptions, CreateFolderRequest, Folder, FolderCount, Success } from './types.js';

/** The folder tree. Methods take the id or the path of a folder, with or without the leading slash. */
export class Folders {
  constructor(private readonly raw: Client<paths>) {}

  /** Creates a folder and its ancestors. If the folder exists, returns it. */
  create(folder: CreateFolderRequest, options: CallOptions = {}): Promise<Folder> {
    return answered(this.raw.POST('/folders', { body: folder, ...options }));
  }

  list(options: CallOptions = {}): Promise<Folder[]> {
    return answered(this.raw.GET('/folders', { ...options }));
  }

  /** All folders with the number of documents directly in each. */
  counts(options: CallOptions = {}): Promise<FolderCount[]> {
    return answered(this.raw.GET('/folders/summary', { ...options }));
  }

  get(folder: string, options: CallOptions = {}): Promise<Folder> {
    return answered(this.raw.GET('/folders/{folder}', { ...at(folder), ...options }));
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

function at(folder: string): { readonly params: { readonly path: { folder: string } } } {
  return { params: { path: { folder: folder.replace(/^\/+/, '') } } };
}
