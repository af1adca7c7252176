import { encodingOf } from '../sniff/encodings.js';
import { decodeText } from '../sniff/decode-text.js';

/** An encoded word (RFC 2047, section 2), and a run of them with white space between. */
const WORD = String.raw`=\?([^?\s*]+)(?:\*[^?\s]*)?\?([QqBb])\?([^?]*)\?=`;
const EACH_WORD = new RegExp(WORD, 'g');
const RUN = new RegExp(String.raw`${WORD}(?:[ \t\r\n]+${WORD})*`, 'g');

/**
 * Decodes a raw header by the rules of text files, and writes its encoded words as one UTF-8 word. Senders divide a
 * letter between two encoded words, although RFC 2047 forbids it, so neighbouring words are joined before decoding.
 *
 * @param declared encoding of the text below the header, if known
 */
export function headerInUtf8(raw: Uint8Array, declared: string | undefined): string {
  const text = decodeText(raw, declared)?.text ?? Buffer.from(raw).toString('utf8');
  if (!text.includes('=?')) return text;
  return text.replace(RUN, (run) => {
    const words = Array.from(run.matchAll(EACH_WORD), ([, label = '', kind = '', content = '']) => ({
      label: label.toLowerCase(),
      bytes: kind.toUpperCase() === 'B' ? fromBase64(content) : fromQuotedPrintable(content, true),
    }));
    const joined: { label: string; bytes: Buffer }[] = [];
    for (const word of words) {
      const last = joined.at(-1);
      if (last?.label === word.label) last.bytes = Buffer.concat([last.bytes, word.bytes]);
      else joined.push(word);
    }
    const decoded = joined.map(({ label, bytes }) => {
      return decodeText(bytes, encodingOf(label))?.text ?? bytes.toString('utf8');
    });
    return `=?utf-8?B?${Buffer.from(decoded.join('')).toString('base64')}?=`;
  });
}

/** Decodes base64. Padding may occur inside, where texts were encoded one by one. */
export function fromBase64(text: string): Buffer {
  const blocks = text.replace(/[^A-Za-z0-9+/=]/g, '').split(/=+/);
  return Buffer.concat(blocks.map((block) => Buffer.from(block, 'base64')));
}

/** @param isWord whether the text is an encoded word, in which an underscore is a space */
export function fromQuotedPrintable(text: string, isWord = false): Buffer {
  const joined = isWord ? text.replaceAll('_', ' ') : text.replace(/=[ \t]*\r?\n/g, '');
  const bytes = joined.replace(/=([0-9A-Fa-f]{2})/g, (_, hex: string) =>
    String.fromCharCode(parseInt(hex, 16)),
  );
  return Buffer.from(bytes, 'latin1');
}
