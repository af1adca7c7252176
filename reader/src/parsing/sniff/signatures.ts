import { isUtf8 } from 'node:buffer';
import { promisedFormat } from '../../formats.js';
import { hasPdfEnd } from '../pdf/open-pdf.js';

export const PDF = Buffer.from('%PDF-', 'latin1');
export const RTF = Buffer.from('{\\rtf', 'latin1');
export const ZIP = Buffer.from('PK\u0003\u0004', 'latin1');
export const COMPOUND_FILE = Buffer.from('d0cf11e0a1b11ae1', 'hex');

export function startsWith(bytes: Uint8Array, signature: Buffer): boolean {
  return signature.equals(bytes.subarray(0, signature.length));
}

/** Number of bytes in which a reader of PDF looks for the signature (ISO 32000-1, implementation note 13). */
const PDF_WINDOW = 1_024;
export const PDF_TYPE = 'application/pdf';

/**
 * Whether a file is a PDF. Other bytes may precede the signature, such as a byte order mark, the header of a Macintosh
 * file or of a download. A text that only mentions the signature is none.
 */
export function isPdfFile(bytes: Uint8Array, filename: string | null | undefined): boolean {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, PDF_WINDOW + PDF.length));
  const start = head.indexOf(PDF);
  if (start <= 0) return start === 0;
  if ([ZIP, RTF, COMPOUND_FILE].some((signature) => startsWith(bytes, signature))) return false;
  const promised = promisedFormat(filename);
  if (promised?.isText === true) return false;
  if (promised?.type !== PDF_TYPE && !hasPdfEnd(bytes)) return false;
  const startsLine =
    head
      .toString('utf8', 0, start)
      .split(/[\r\n]/)
      .at(-1)
      ?.trim() === '';
  return startsLine || bytes.includes(0) || !isUtf8(bytes);
}
