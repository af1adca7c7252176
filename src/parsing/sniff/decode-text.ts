import { isUtf8 } from 'node:buffer';
import { analyse } from 'chardet';

/** Only the head is looked at, to tell text from other bytes and for statistics of its encoding. */
const HEAD = 65_536;

/** More than one control character in so many, and it is not text. */
const CHARACTERS_PER_CONTROL = 200;

/**
 * Decodes text: by its byte order mark, else as UTF-8, else as UTF-16 without a mark, else as it declares itself or as
 * the statistics of its bytes say, Windows-1252 in doubt. Line ends become `\n`.
 * @returns null when the bytes are not text.
 */
export function decodeText(bytes: Uint8Array): string | null {
  const decoder = new TextDecoder(markedEncoding(bytes) ?? widthOfZeros(bytes) ?? likelyEncoding(bytes));
  const decoded = decoder.decode(bytes);
  const text = decoder.encoding === 'windows-1252' ? withWindowsPunctuation(decoded) : decoded;
  return isClean(bytes) || !isFullOfControls(text.slice(0, HEAD)) ? text.replace(/\r\n?/g, '\n') : null;
}

/** UTF-8 without NUL: no other format is that by chance, whatever control characters it has. */
function isClean(bytes: Uint8Array): boolean {
  return isUtf8(bytes) && !bytes.includes(0);
}

/** The encoding, by what it says of itself and by its statistics, of text that is no UTF-16. */
export function likelyEncoding(bytes: Uint8Array): string {
  return isUtf8(bytes) ? 'utf-8' : detectEncoding(bytes);
}

/** What the bytes 0x80 to 0x9f mean in Windows-1252; a few mean nothing. */
const WINDOWS_PUNCTUATION = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/** `TextDecoder` of Node 20 takes Windows-1252 for Latin-1, where those bytes are control characters. */
function withWindowsPunctuation(text: string): string {
  return text.replace(/[\u0080-\u009f]/g, (c) => WINDOWS_PUNCTUATION.charAt(c.charCodeAt(0) - 0x80));
}

const ESCAPE = '\u001b';

/** Of control characters that text has no use for: white space is fine, and so are the colours of a terminal. */
function isFullOfControls(text: string): boolean {
  const controls = Array.from(text.matchAll(/\p{Cc}/gu)).filter(
    ([c]) => !/\s|\u0085/.test(c) && c !== ESCAPE,
  );
  return controls.length * CHARACTERS_PER_CONTROL > text.length;
}

/** The UTF-16 that a byte order mark names. */
export function markedEncoding(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return undefined;
}

/** UTF-16 of mostly Latin text: every other byte is zero, and hardly any of the rest. */
function widthOfZeros(bytes: Uint8Array): string | undefined {
  const head = bytes.subarray(0, HEAD);
  const zeros = [0, 0];
  for (const [index, byte] of head.entries()) if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const half = head.length / 2;
  if (odd > half * 0.4 && even < half * 0.01) return 'utf-16le';
  if (even > half * 0.4 && odd < half * 0.01) return 'utf-16be';
  return undefined;
}

/** A declaration stands at the start. */
const DECLARATION = 1_024;

const DECLARED = /<meta[^>]+charset\s*=\s*["']?([\w-]+)|^\s*<\?xml[^>]+encoding\s*=\s*["']([\w-]+)/i;

/**
 * Encodings whose statistics are unlike those of any western text. Between the western ones they decide nothing: a
 * few accents look the same in all of them.
 */
const UNMISTAKABLE = /^(?:Shift_JIS|EUC-(?:JP|KR)|GB18030|Big5|KOI8-R|windows-125[1356]|ISO-8859-[5678])$/;
const MIN_CONFIDENCE = 30;

/** A label that `TextDecoder` knows, for text that is no Unicode: declared in it, or likely by its bytes. */
function detectEncoding(bytes: Uint8Array): string {
  const [, meta, xml] = DECLARED.exec(Buffer.from(bytes.subarray(0, DECLARATION)).toString('latin1')) ?? [];
  const declared = meta ?? xml;
  if (declared !== undefined && isKnown(declared)) return declared;
  const [likely] = analyse(bytes.subarray(0, HEAD));
  const isSure =
    likely !== undefined && likely.confidence >= MIN_CONFIDENCE && UNMISTAKABLE.test(likely.name);
  return isSure && isKnown(likely.name) ? likely.name : 'windows-1252';
}

function isKnown(label: string): boolean {
  try {
    return new TextDecoder(label).encoding !== 'utf-8'; // what is not UTF-8 cannot become so by saying it
  } catch {
    return false; // an unknown label
  }
}
