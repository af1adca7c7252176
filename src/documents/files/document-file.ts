import type { DocumentRow, StoredFile } from '../../corpus/document-row.js';
import { CODE_BY_EXTENSION, extensionOf, isTextual, promisedBy } from '../../parsing/sniff/file-names.js';

/** The file of a document: its stored source, or its text if it has no source or was changed by text updates. */
export interface DocumentFile {
  /** Identifies these bytes; never reused after the file is replaced. */
  readonly id: string;
  /** Location of the stored source; null: the text in the database. */
  readonly stored: Pick<StoredFile, 'bucket' | 'key'> | null;
  readonly contentType: string;
  readonly filename: string | null;
}

const UNKNOWN_TYPE = 'application/octet-stream';

/**
 * The current file of a document. A source that was replaced by a text is not returned, because the text may have been
 * redacted.
 */
export function fileOf(row: DocumentRow): DocumentFile {
  const source = row.storage_files.at(-1);
  const isChanged = hasOwnText(row);
  if (source === undefined || isChanged) {
    return {
      // A posted text keeps its id when it is committed or rebuilt as the first version.
      id: `${row.external_id}/text/${isChanged ? row.text_version : 'posted'}`,
      stored: null,
      contentType: row.content_type,
      filename: textName(row.filename ?? `document_${row.external_id}.txt`),
    };
  }
  // The type of a single source was detected while parsing; of several, only the types of their uploads are known.
  const recognised = row.storage_files.length === 1 ? row.content_type : uploadedType(source);
  return {
    id: source.key,
    stored: { bucket: source.bucket, key: source.key },
    contentType: row.status === 'completed' ? recognised : UNKNOWN_TYPE,
    filename: row.filename ?? source.filename,
  };
}

/** The type that the client declared, or that the name promises if it declared none. */
export function uploadedType({ content_type: declared, filename }: StoredFile): string {
  return declared === UNKNOWN_TYPE ? (promisedBy(filename) ?? declared) : declared;
}

/** The type of a text that replaces a document's content. */
export function textTypeOf(filename: string | null): string {
  return promisedBy(filename) === 'text/markdown' ? 'text/markdown' : 'text/plain';
}

/** Whether text updates since the latest source replaced it, or appended to a plain text. */
function hasOwnText(row: DocumentRow): boolean {
  const latest = row.storage_files.at(-1)?.version ?? 0;
  const since = row.update_history.filter(({ version }) => version > latest).map(({ strategy }) => strategy);
  return since.includes('replace') || (since.includes('add') && isStoredAsItIs(row.content_type));
}

/** Types that are parsed without conversion: appending text to them keeps the type. */
function isStoredAsItIs(contentType: string): boolean {
  return ['text/plain', 'text/markdown', ...Object.values(CODE_BY_EXTENSION)].includes(contentType);
}

/** File name for a document's text: names of other formats, such as PDF, get `.txt`. */
function textName(filename: string): string {
  const promised = promisedBy(filename);
  if (promised === undefined || isTextual(promised)) return filename;
  return `${filename.slice(0, -extensionOf(filename).length)}txt`;
}
