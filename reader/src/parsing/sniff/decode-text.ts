import { isUtf8 } from 'node:buffer';
import { isDamagedUtf8 } from './damaged-utf8.js';
import { declaredEncoding } from './declared-encoding.js';
import { decodeAs, markedEncoding } from './encodings.js';
import { guessNarrowEncoding, guessWideEncoding } from './guess-encoding.js';
import { countOddCharacters, countReplaced } from './odd-characters.js';

/** Characters that the check for binary data reads. */
const HEAD = 65_536;

/** Minimum number of characters of a text per odd character. */
const CHARACTERS_PER_ODD = 200;

/** Minimum number of characters of a text per U+FFFD. */
const CHARACTERS_PER_REPLACED = 8;

export interface DecodedText {
  /** Text with `\n` as line end. */
  readonly text: string;
  /** Name from the WHATWG Encoding Standard in lower case, or a common name outside of it, for example `cp850`. */
  readonly encoding: string;
  /** Whether statistics alone chose the encoding. */
  readonly isGuessed: boolean;
  /** Number of invalid sequences, which were replaced by U+FFFD. */
  readonly replaced: number;
}

/**
 * Decodes text. The first encoding of this list that applies is used:
 * - the encoding of the byte order mark
 * - ISO-2022-JP, if the bytes are valid in it and contain its escape sequences
 * - UTF-8, if the bytes are valid UTF-8 without NUL
 * - the encoding that the client or the text declares, if every byte is valid in this encoding
 * - UTF-16 or UTF-32, if statistics recognise it
 * - UTF-8, if the bytes are valid UTF-8 with NUL, or damaged UTF-8
 * - the likeliest other encoding
 * @param declared encoding that a client or a message declares
 * @returns null if the bytes are not text
 */
export function decodeText(bytes: Uint8Array, declared?: string): DecodedText | null {
  const { encoding, isGuessed, decoded } = decodedBytes(bytes, declared);
  const text = decoded.includes('\r') ? decoded.replace(/\r\n?/g, '\n') : decoded;
  if (encoding === 'utf-8' && isClean(bytes)) return { text, encoding, isGuessed, replaced: 0 };
  return isReadable(text) ? { text, encoding, isGuessed, replaced: countReplaced(text) } : null;
}

/** Returns the encoding of undeclared text, for a library that decodes text itself. */
export function likelyEncoding(bytes: Uint8Array): string {
  return decodedBytes(bytes, undefined).encoding;
}

interface DecodedBytes extends Pick<DecodedText, 'encoding' | 'isGuessed'> {
  readonly decoded: string;
}

function decodedBytes(bytes: Uint8Array, declared: string | undefined): DecodedBytes {
  const marked = markedEncoding(bytes);
  if (marked !== undefined) return decodedAs(bytes, marked);
  if (isClean(bytes)) return decodedJapanese(bytes) ?? decodedAs(bytes, 'utf-8');
  const claims = [declared, declaredEncoding(bytes)].filter((claim) => claim !== undefined);
  for (const claim of claims.filter((encoding) => encoding !== 'utf-8')) {
    const result = decodedAs(bytes, claim);
    if (isFaultless(result.decoded)) return result;
  }
  const wide = guessWideEncoding(bytes);
  if (wide !== undefined) return { ...decodedAs(bytes, wide), isGuessed: true };
  if (isUtf8(bytes) || isDamagedUtf8(bytes, claims.includes('utf-8'))) return decodedAs(bytes, 'utf-8');
  return { ...decodedAs(bytes, guessNarrowEncoding(bytes)), isGuessed: true };
}

function decodedAs(bytes: Uint8Array, encoding: string): DecodedBytes {
  return { encoding, isGuessed: false, decoded: decodeAs(bytes, encoding) };
}

/** Decodes ISO-2022-JP, which uses no byte above ASCII: escapes switch the character set. */
function decodedJapanese(bytes: Uint8Array): DecodedBytes | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!JAPANESE_ESCAPES.some((escape) => buffer.includes(escape, 0, 'latin1'))) return undefined;
  const result = decodedAs(bytes, 'iso-2022-jp');
  return isFaultless(result.decoded) ? result : undefined;
}

const JAPANESE_ESCAPES = ['\u001b$B', '\u001b$@', '\u001b(J', '\u001b(I'];

/**
 * Whether the bytes are UTF-8 without NUL. Binary data is hardly ever valid UTF-8, so valid UTF-8 is accepted as text
 * even with control characters.
 */
function isClean(bytes: Uint8Array): boolean {
  return isUtf8(bytes) && !bytes.includes(0);
}

function isFaultless(text: string): boolean {
  return countReplaced(text) === 0 && isReadable(text);
}

/** Whether the head has hardly any odd characters and few invalid sequences. */
function isReadable(text: string): boolean {
  const head = text.slice(0, HEAD);
  return (
    countOddCharacters(head) * CHARACTERS_PER_ODD <= head.length &&
    countReplaced(head) * CHARACTERS_PER_REPLACED <= head.length
  );
}
