import { fileTypeFromBuffer } from 'file-type';
import { ParseFailure } from '../parse-failure.js';
import type { Hints } from '../parser.js';
import { decodeText, markedEncoding } from './decode-text.js';
import { CODE_BY_EXTENSION, extensionOf, TYPE_BY_EXTENSION } from './file-names.js';
import { isTextual, textualType } from './textual-type.js';

export interface Sniffed {
  readonly contentType: string;
  /** The decoded text of a textual type; null for a binary one. */
  readonly text: string | null;
}

/** Types that the signature library finds although they are text: the text decides. */
const TEXTUAL = new Set(['application/xml', 'application/x-ft-unknown', 'text/html']);

/**
 * Finds out from the bytes what a file is.
 * @throws ParseFailure when they are no type we know, or belie the name.
 */
export async function sniff(bytes: Uint8Array, hints: Hints): Promise<Sniffed> {
  if (bytes.length === 0) throw new ParseFailure('The file is empty: upload it again with its content.');
  // The mark of UTF-16 is also how MPEG audio may start.
  const binary = markedEncoding(bytes) === undefined ? await fileTypeFromBuffer(bytes) : undefined;
  if (binary !== undefined && !TEXTUAL.has(binary.mime)) {
    refuseLyingName(binary.mime, hints.filename);
    return { contentType: binary.mime, text: null };
  }
  const text = decodeText(bytes);
  if (text === null) {
    throw new ParseFailure(
      'The file is neither text nor of a type that can be read: convert it to PDF, DOCX or plain text.',
    );
  }
  if (text.trim() === '')
    throw new ParseFailure('The file holds nothing but white space: upload one with text.');
  const contentType = textualType(text, hints);
  refuseLyingName(contentType, hints.filename);
  return { contentType, text };
}

/** A name that promises another kind of file means a mistake: a failed download, a wrong export. */
function refuseLyingName(contentType: string, filename: string | null | undefined): void {
  const extension = extensionOf(filename);
  const promised = TYPE_BY_EXTENSION[extension] ?? CODE_BY_EXTENSION[extension];
  if (promised === undefined || familyOf(promised) === familyOf(contentType)) return;
  throw new ParseFailure(
    `The file is named .${extension}, but its content is ${contentType}: upload the right file, or give it the name that fits its content.`,
  );
}

/** Types that are taken for one another without harm: any text for any text, any image for any image. */
function familyOf(contentType: string): string {
  if (contentType.startsWith('image/')) return 'image';
  return isTextual(contentType) ? 'text' : contentType;
}
