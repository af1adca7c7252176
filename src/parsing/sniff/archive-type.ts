import { Archive } from '../archive/archive.js';

/** The part that makes an archive a document of its kind. */
const MAIN_PARTS: Readonly<Record<string, string>> = {
  'word/document.xml': 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'ppt/presentation.xml': 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  'xl/workbook.xml': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

/**
 * What kind of document a ZIP archive is: OpenDocument and EPUB say so in a part of their own, Office files show it by
 * their main part. An archive that is none is `application/zip`.
 * @throws ParseFailure when it is cut off, encrypted or a bomb.
 */
export async function archiveType(bytes: Uint8Array): Promise<string> {
  const archive = await Archive.open(bytes);
  const stated = (await archive.text('mimetype'))?.trim();
  if (stated !== undefined && /^[\w.+-]+\/[\w.+-]+$/.test(stated)) return stated;
  const names = new Set(archive.names);
  const main = Object.keys(MAIN_PARTS).find((name) => names.has(name));
  return (main === undefined ? undefined : MAIN_PARTS[main]) ?? 'application/zip';
}
