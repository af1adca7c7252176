import type { DocumentRow, StoredFile } from '../../corpus/document-row.js';
import {
  CODE_BY_EXTENSION,
  extensionOf,
  isTextual,
  TYPE_BY_EXTENSION,
} from '../../parsing/sniff/file-names.js';

/** The file of a document: a stored source, or the document's text where it has none, or is no longer what one said. */
export interface DocumentFile {
  /** Names these bytes and no others; it does not come again once the document has another file. */
  readonly id: string;
  /** Where the stored source lies; null: it is the text. */
  readonly stored: Pick<StoredFile, 'bucket' | 'key'> | null;
  readonly contentType: string;
  readonly filename: string | null;
}

const UNKNOWN_TYPE = 'application/octet-stream';

/**
 * The file of a document as it is now. A source that was replaced is not the document any more: what was taken out of
 * the text must not be found in its file.
 */
export function fileOf(row: DocumentRow): DocumentFile {
  const source = row.storage_files.at(-1);
  const isChanged = hasOwnText(row);
  if (source === undefined || isChanged) {
    return {
      // The text that was posted stays the same when it becomes the first version, or is made again.
      id: `${row.external_id}/text/${isChanged ? row.text_version : 'posted'}`,
      stored: null,
      contentType: row.content_type,
      filename: textName(row.filename ?? `document_${row.external_id}.txt`),
    };
  }
  // The type of the only source was recognised when it was read, and until then it is what somebody said.
  const recognised = row.storage_files.length === 1 ? row.content_type : source.content_type;
  return {
    id: source.key,
    stored: { bucket: source.bucket, key: source.key },
    contentType: row.status === 'completed' ? recognised : UNKNOWN_TYPE,
    filename: row.filename ?? source.filename,
  };
}

/** The type of a text that took the place of a document's content. */
export function textTypeOf(filename: string | null): string {
  return promisedBy(filename) === 'text/markdown' ? 'text/markdown' : 'text/plain';
}

/** Whether texts since the latest source took its place, or were added to what was a text before. */
function hasOwnText(row: DocumentRow): boolean {
  const latest = row.storage_files.at(-1)?.version ?? 0;
  const since = row.update_history.filter(({ version }) => version > latest).map(({ strategy }) => strategy);
  return since.includes('replace') || (since.includes('add') && isStoredAsItIs(row.content_type));
}

/** Texts that are not converted when they are read: an addition to one makes a longer one of the same kind. */
function isStoredAsItIs(contentType: string): boolean {
  return ['text/plain', 'text/markdown', ...Object.values(CODE_BY_EXTENSION)].includes(contentType);
}

/** The name of a document for its text: one that promises a PDF or the like ends in `.txt` instead. */
function textName(filename: string): string {
  const promised = promisedBy(filename);
  if (promised === undefined || isTextual(promised)) return filename;
  return `${filename.slice(0, -extensionOf(filename).length)}txt`;
}

function promisedBy(filename: string | null): string | undefined {
  const extension = extensionOf(filename);
  return TYPE_BY_EXTENSION[extension] ?? CODE_BY_EXTENSION[extension];
}
