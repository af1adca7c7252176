import type { LecternClient, ListedDocument } from '../api/lectern.js';
import type { PlacedFile } from '../design/file-tree.js';
import type { Upload } from './upload.js';

/** A file to upload whose name is taken in the target folder, by a document or by another upload. */
export interface Twin extends PlacedFile {
  /** The document with the same name; null: the name belongs to a file that is still being sent. */
  readonly documentId: string | null;
  /** Whether the key may replace the document. */
  readonly mayReplace: boolean;
}

/** Names per request. */
const NAMES = 100;

/** Finds the files whose names already exist in their target folders. @param files with the paths of these folders */
export async function twinsOf(
  client: LecternClient,
  files: readonly PlacedFile[],
  uploads: readonly Upload[],
  signal: AbortSignal,
  isReplaceable: (document: ListedDocument) => boolean,
): Promise<Twin[]> {
  const known = new Map<string, Omit<Twin, keyof PlacedFile>>();
  const keyOf = (path: string | null, name: string): string => `${path ?? ''}/${name}`;
  for (const { name, folder, state } of uploads) {
    if (state === 'waiting' || state === 'sending')
      known.set(keyOf(pathOf(folder), name), { documentId: null, mayReplace: true });
  }
  const names = [...new Set(files.map(({ file }) => file.name))];
  for (const { filename, document } of await documentsNamed(client, names, signal)) {
    const key = keyOf(document.folder_path ?? null, filename);
    const mayReplace = isReplaceable(document);
    // If several documents have the name, prefers one that the key may replace.
    if (mayReplace || !known.has(key)) known.set(key, { documentId: document.external_id, mayReplace });
  }
  return files.flatMap((placed) => {
    const twin = known.get(keyOf(pathOf(placed.folder), placed.file.name));
    return twin === undefined ? [] : [{ ...placed, ...twin }];
  });
}

/**
 * Finds the documents of uploads whose request reached the service although the response was lost. Searches by name,
 * and only for uploads whose name was new in the folder.
 *
 * @param all all uploads; documents that already belong to one of them are ignored
 * @returns document ids by the keys of the uploads
 */
export async function arrivedOf(
  client: LecternClient,
  uploads: readonly Upload[],
  all: readonly Upload[],
  signal: AbortSignal,
): Promise<Map<number, string>> {
  const documents = await documentsNamed(
    client,
    uploads.map(({ name }) => name),
    signal,
  );
  const known = new Set(all.map(({ documentId }) => documentId));
  const arrived = new Map<number, string>();
  for (const { key, name, folder, isNew } of uploads) {
    const isOfUpload = ({ filename, document }: Named): boolean =>
      filename === name &&
      (document.folder_path ?? null) === pathOf(folder) &&
      !known.has(document.external_id);
    const id = isNew ? documents.find(isOfUpload)?.document.external_id : undefined;
    if (id === undefined) continue;
    arrived.set(key, id);
    known.add(id);
  }
  return arrived;
}

interface Named {
  readonly filename: string;
  readonly document: ListedDocument;
}

async function documentsNamed(
  client: LecternClient,
  names: readonly string[],
  signal: AbortSignal,
): Promise<Named[]> {
  const found: Named[] = [];
  for (let start = 0; start < names.length; start += NAMES) {
    const { documents } = await client.listing({
      document_filters: { filename: { $in: names.slice(start, start + NAMES) } },
      fields: ['filename', 'folder_path', 'end_user_id', 'your_access'],
      limit: 1_000,
      signal,
    });
    for (const document of documents) {
      const { filename } = document;
      if (typeof filename === 'string') found.push({ filename, document });
    }
  }
  return found;
}

function pathOf(folder: string): string | null {
  return folder === '' ? null : `/${folder.replace(/^\/+|\/+$/g, '')}`;
}
