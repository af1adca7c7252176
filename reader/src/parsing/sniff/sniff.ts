import { isUtf8 } from 'node:buffer';
import { fileTypeFromBuffer } from 'file-type';
import { extensionOf, FORMATS, isTextual, promisedBy, promisedFormat } from '../../formats.js';
import { Archive, isEncrypted } from '../archive/archive.js';
import { compoundType } from '../archive/compound-file.js';
import { hasVisibleText } from '../visible-text.js';
import { ParseFailure } from '../parse-failure.js';
import type { Hints } from '../parser.js';
import { charsetOf } from './declared-encoding.js';
import { decodeText, type DecodedText } from './decode-text.js';
import { markedEncoding } from './encodings.js';
import { textualType } from './file-names.js';
import { COMPOUND_FILE, isPdfFile, PDF, PDF_TYPE, RTF, startsWith, ZIP } from './signatures.js';

export interface Sniffed {
  readonly contentType: string;
  /** null for a binary type. */
  readonly decoded: DecodedText | null;
}

/**
 * Detects the content type of a file from its bytes.
 *
 * @throws ParseFailure if the type is unknown or contradicts the file name.
 */
export async function sniff(bytes: Uint8Array, hints: Hints): Promise<Sniffed> {
  if (bytes.length === 0)
    throw new ParseFailure('The file is empty: upload it again with its content.', { defect: 'empty' });
  const declared = charsetOf(hints.declaredType) ?? promisedFormat(hints.filename)?.encoding;
  const named = isNamedText(bytes, hints.filename) ? decodeText(bytes, declared) : null;
  const isPdf = named === null && isPdfFile(bytes, hints.filename);
  const isText = named !== null || (!isPdf && isUnmistakableText(bytes));
  const binary = isPdf ? PDF_TYPE : isText ? undefined : await binaryType(bytes);
  if (binary !== undefined) {
    refuseWrongName(binary, hints.filename);
    return { contentType: binary, decoded: null };
  }
  const decoded = named ?? decodeText(bytes, declared);
  if (decoded === null) {
    throw new ParseFailure(
      'The file is neither text nor of a supported type: convert it to PDF, DOCX or plain text.',
      { defect: 'type' },
    );
  }
  const { text } = decoded;
  const contentType = textualType(text, hints);
  if (!hasVisibleText(text)) {
    throw new ParseFailure(
      'The file contains only white space and invisible characters: upload a file with text.',
      { defect: 'empty', contentType },
    );
  }
  refuseWrongName(contentType, hints.filename);
  return { contentType, decoded };
}

/**
 * Whether the bytes are valid UTF-8 without a signature of Rich Text. A shorter binary signature at the start of valid
 * UTF-8 is a coincidence.
 */
function isUnmistakableText(bytes: Uint8Array): boolean {
  return isUtf8(bytes) && !bytes.includes(0) && !startsWith(bytes, RTF);
}

/** Whether the name has a text extension, and the bytes have no NUL and no signature of PDF or RTF. */
function isNamedText(bytes: Uint8Array, filename: string | null | undefined): boolean {
  if (promisedFormat(filename)?.isText !== true || bytes.includes(0)) return false;
  return ![PDF, RTF].some((signature) => startsWith(bytes, signature)) || isUtf8(bytes);
}

/** The type of bytes with a signature; undefined for text and unknown formats. */
async function binaryType(bytes: Uint8Array): Promise<string | undefined> {
  if (markedEncoding(bytes) !== undefined) return undefined; // MPEG audio may begin with the same bytes as a UTF-16 byte order mark
  if (startsWith(bytes, COMPOUND_FILE)) return compoundType(bytes);
  if (startsWith(bytes, ZIP)) return archiveType(bytes);
  if (startsWith(bytes, RTF)) return 'application/rtf';
  const found = await fileTypeFromBuffer(bytes);
  return found === undefined || isTextual(found.mime) ? undefined : found.mime;
}

/** Refuses a file with the extension of another format, for example after a failed download or a wrong export. */
function refuseWrongName(contentType: string, filename: string | null | undefined): void {
  const promised = promisedBy(filename);
  if (promised === undefined || familyOf(promised) === familyOf(contentType)) return;
  throw new ParseFailure(
    `The file is named .${extensionOf(filename)}, but its content is ${contentType}: upload the right file, or rename it to match its content.`,
    { contentType },
  );
}

/** Groups of interchangeable types: all texts, all images. */
function familyOf(contentType: string): string {
  if (contentType.startsWith('image/')) return 'image';
  return isTextual(contentType) ? 'text' : contentType;
}

/**
 * The document type of a ZIP archive: OpenDocument and EPUB declare it in a part; Office files are identified by their
 * main part. Otherwise `application/zip`.
 *
 * @throws ParseFailure if the archive is truncated, encrypted or a zip bomb.
 */
async function archiveType(bytes: Uint8Array): Promise<string> {
  const archive = await Archive.open(bytes);
  const stated = (await archive.text('mimetype'))?.trim();
  if (stated !== undefined && /^[\w.+-]+\/[\w.+-]+$/.test(stated)) {
    const manifest = stated.includes('opendocument')
      ? await archive.text('META-INF/manifest.xml')
      : undefined;
    if (manifest?.includes('encryption-data') === true) throw isEncrypted().of(stated);
    return stated;
  }
  const names = new Set(archive.names);
  const format = FORMATS.find(({ mainPart }) => mainPart !== undefined && names.has(mainPart));
  return format?.type ?? 'application/zip';
}
