import type { DocumentRow } from '../../corpus/document-row.js';
import { NotFound } from '../../errors/index.js';

/** A stored source on its way out. */
export interface OutgoingFile {
  readonly key: string;
  readonly contentType: string;
  readonly filename: string | null;
}

/**
 * The latest stored source of a document.
 * @throws NotFound when it has none.
 */
export function latestFileOf(row: DocumentRow): OutgoingFile {
  const file = row.storage_files.at(-1);
  if (file === undefined) throw new NotFound('The document has no stored file');
  // The type of the only source was recognised when it was read.
  const contentType = row.storage_files.length === 1 ? row.content_type : file.content_type;
  return { key: file.key, contentType, filename: row.filename ?? file.filename };
}
