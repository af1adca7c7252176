import type { JSX } from 'preact';
import type { LecternClient, ListedDocument } from '../api/lectern.js';
import type { Upload } from './upload.js';

/** A file whose name a document in its folder has already. */
export interface Twin {
  readonly file: File;
  /** The document; null: a file that is being sent. */
  readonly documentId: string | null;
  /** Whether the key may replace it. */
  readonly mayReplace: boolean;
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
  isReplaceable: (document: ListedDocument) => boolean = () => true,
): Promise<Twin[]> {
  const known = new Map<string, Omit<Twin, 'file'>>();
  for (const { name, folder: target, state } of uploads) {
    if (target === folder && (state === 'waiting' || state === 'sending'))
      known.set(name, { documentId: null, mayReplace: true });
  }
  const names = files.map(({ name }) => name);
  const path = folder === '' ? null : `/${folder.replace(/^\/+|\/+$/g, '')}`;
  for (let start = 0; start < names.length; start += NAMES) {
    const { documents } = await client.listing({
      document_filters: { filename: { $in: names.slice(start, start + NAMES) } },
      fields: ['filename', 'folder_path', 'end_user_id'],
      limit: 1_000,
      signal,
    });
    for (const document of documents) {
      const { external_id: documentId, filename, folder_path: place } = document;
      if (typeof filename !== 'string' || (place ?? null) !== path) continue;
      const mayReplace = isReplaceable(document);
      // Of several, one that can be replaced.
      if (mayReplace || !known.has(filename)) known.set(filename, { documentId, mayReplace });
    }
  }
  return files.flatMap((file) => {
    const twin = known.get(file.name);
    return twin === undefined ? [] : [{ file, ...twin }];
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
        {twins.every(({ mayReplace }) => mayReplace) && (
          <button type="button" class="small-button" onClick={onReplace}>
            Replace {isOne ? 'it' : 'them'}
          </button>
        )}
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
