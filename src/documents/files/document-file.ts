import { extensionOf, isReadVerbatim, isTextual, promisedBy } from '#reader';
import type { DocumentRow, StoredFile } from '../../corpus/document-row.js';

/**
 * The file of a document: its stored source. If the document has no source, or text updates have changed it, its text.
 */
export interface DocumentFile {
  /** Identifies these bytes. The id is never used again after the file is replaced. */
  readonly id: string;
  /** Location of the stored source; null if the file is the text in the database. */
  readonly stored: Pick<StoredFile, 'bucket' | 'key'> | null;
  readonly contentType: string;
  readonly filename: string | null;
}

const UNKNOWN_TYPE = 'application/octet-stream';

/**
 * Returns the current file of a document. Never returns a source that a text has replaced, because the text may be a
 * redacted version of the source.
 */
export function fileOf(row: DocumentRow): DocumentFile {
  const source = row.storage_files.at(-1);
  const isChanged = hasOwnText(row);
  if (source === undefined || isChanged) {
    return {
      // A posted text has the same id before and after it is committed, and after it is rebuilt as the first version.
      id: `${row.external_id}/text/${isChanged ? row.text_version : 'posted'}`,
      stored: null,
      contentType: row.content_type,
      filename: textName(row.filename ?? `document_${row.external_id}.txt`),
    };
  }
  // If the document has one source, parsing has detected its type. If it has several, only the types from the uploads
  // are known.
  const recognised = row.storage_files.length === 1 ? row.content_type : uploadedType(source);
  return {
    id: source.key,
    stored: { bucket: source.bucket, key: source.key },
    contentType: row.status === 'completed' ? recognised : UNKNOWN_TYPE,
    filename: row.filename ?? source.filename,
  };
}

/** Returns the type that the client declared. If the client declared none, returns the type of the file extension. */
export function uploadedType({ content_type: declared, filename }: StoredFile): string {
  return declared === UNKNOWN_TYPE ? (promisedBy(filename) ?? declared) : declared;
}

/** Returns the type of a text that replaces a document's content. */
export function textTypeOf(filename: string | null): string {
  return promisedBy(filename) === 'text/markdown' ? 'text/markdown' : 'text/plain';
}

/**
 * Whether text updates have replaced the latest source, or have appended text to a latest source that is plain text.
 */
function hasOwnText(row: DocumentRow): boolean {
  const latest = row.storage_files.at(-1)?.version ?? 0;
  const since = row.update_history.filter(({ version }) => version > latest).map(({ strategy }) => strategy);
  return since.includes('replace') || (since.includes('add') && isReadVerbatim(row.content_type));
}

/** Returns the file name for a document's text. Replaces the extension of other formats, such as PDF, by `.txt`. */
function textName(filename: string): string {
  const promised = promisedBy(filename);
  if (promised === undefined || isTextual(promised)) return filename;
  return `${filename.slice(0, -extensionOf(filename).length)}txt`;
}
