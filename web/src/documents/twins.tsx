import type { JSX } from 'preact';
import type { LecternClient } from '../api/lectern.js';
import type { Upload } from './upload.js';

/** A file whose name a document in its folder has already. */
export interface Twin {
  readonly file: File;
  /** The document; null: a file that is being sent. */
  readonly documentId: string | null;
}

/** Names per request. */
const NAMES = 100;

/** Finds the files that are there already: by their names in the folder that they go to. */
export async function twinsOf(
  client: LecternClient,
  files: readonly File[],
  folder: string,
  uploads: readonly Upload[],
  signal: AbortSignal,
): Promise<Twin[]> {
  const known = new Map<string, string | null>();
  for (const { name, folder: target, state } of uploads) {
    if (target === folder && (state === 'waiting' || state === 'sending')) known.set(name, null);
  }
  const names = files.map(({ name }) => name);
  const path = folder === '' ? null : `/${folder.replace(/^\/+|\/+$/g, '')}`;
  for (let start = 0; start < names.length; start += NAMES) {
    const { documents } = await client.listing({
      document_filters: { filename: { $in: names.slice(start, start + NAMES) } },
      fields: ['filename', 'folder_path'],
      limit: 1_000,
      signal,
    });
    for (const { external_id: id, filename, folder_path: place } of documents) {
      if (typeof filename === 'string' && (place ?? null) === path) known.set(filename, id);
    }
  }
  return files.flatMap((file) => {
    const documentId = known.get(file.name);
    return documentId === undefined ? [] : [{ file, documentId }];
  });
}

interface TwinNoticeProps {
  readonly twins: readonly Twin[];
  readonly onReplace: () => void;
  readonly onAdd: () => void;
  readonly onLeave: () => void;
}

/** Asks what to do with files that are there already. */
export function TwinNotice({ twins, onReplace, onAdd, onLeave }: TwinNoticeProps): JSX.Element {
  const [first] = twins;
  const isOne = twins.length === 1;
  return (
    <div class="notice hint row spread held" role="alert">
      <span>
        {isOne ? `“${first?.file.name ?? ''}” is here already.` : `${twins.length} files are here already.`}
      </span>
      <span class="row">
        <button type="button" class="small-button" onClick={onReplace}>
          Replace {isOne ? 'it' : 'them'}
        </button>
        <button type="button" class="small-button" onClick={onAdd}>
          Add again
        </button>
        <button type="button" class="small-button" onClick={onLeave}>
          Leave out
        </button>
      </span>
    </div>
  );
}
