import { isUtf8 } from 'node:buffer';
import { isDamagedUtf8 } from './damaged-utf8.js';
import { declaredEncoding } from './declared-encoding.js';
import { decodeAs, markedEncoding } from './encodings.js';
import { guessNarrowEncoding, guessWideEncoding } from './guess-encoding.js';
import { countOddCharacters, countReplaced } from './odd-characters.js';

/** Only the head is looked at to tell text from other bytes. */
const HEAD = 65_536;

/** More than one character that text has no use for in so many, and it is not text. */
const CHARACTERS_PER_ODD = 200;

/** More than one sequence that means nothing in so many characters, and it is not text. */
const CHARACTERS_PER_REPLACED = 8;

export interface DecodedText {
  /** With `\n` as the end of a line. */
  readonly text: string;
  /** The name in the WHATWG Encoding Standard, in lower case; outside of it a common one, as `cp850`. */
  readonly encoding: string;
  /** Whether nothing but the statistics of the bytes says that it is this encoding. */
  readonly isGuessed: boolean;
  /** How many sequences of bytes meant nothing in the encoding, each now U+FFFD. */
  readonly replaced: number;
}

/**
 * Decodes text. Its encoding is that of its byte order mark; else UTF-8, if it is that; else the one that was declared
 * from outside or in itself, if every byte means something in it; else UTF-8 with damage; else the likeliest.
 * @param declared what a client or a message says of it
 * @returns null when the bytes are not text.
 */
export function decodeText(bytes: Uint8Array, declared?: string): DecodedText | null {
  const { encoding, isGuessed, decoded } = decodedBytes(bytes, declared);
  const text = decoded.includes('\r') ? decoded.replace(/\r\n?/g, '\n') : decoded;
  if (encoding === 'utf-8' && isClean(bytes)) return { text, encoding, isGuessed, replaced: 0 };
  return isReadable(text) ? { text, encoding, isGuessed, replaced: countReplaced(text) } : null;
}

/** The encoding of texts without a declaration, for a library that decodes them itself. */
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

/** Text in the Japanese encoding that uses no byte above ASCII: it begins and ends its letters with escapes. */
function decodedJapanese(bytes: Uint8Array): DecodedBytes | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!JAPANESE_ESCAPES.some((escape) => buffer.includes(escape, 0, 'latin1'))) return undefined;
  const result = decodedAs(bytes, 'iso-2022-jp');
  return isFaultless(result.decoded) ? result : undefined;
}

const JAPANESE_ESCAPES = ['\u001b$B', '\u001b$@', '\u001b(J', '\u001b(I'];

/** UTF-8 without NUL: no other format is that by chance, whatever control characters it has. */
function isClean(bytes: Uint8Array): boolean {
  return isUtf8(bytes) && !bytes.includes(0);
}

function isFaultless(text: string): boolean {
  return countReplaced(text) === 0 && isReadable(text);
}

/** By its head: hardly any character that text has no use for, and few that could not be decoded. */
function isReadable(text: string): boolean {
  const head = text.slice(0, HEAD);
  return (
    countOddCharacters(head) * CHARACTERS_PER_ODD <= head.length &&
    countReplaced(head) * CHARACTERS_PER_REPLACED <= head.length
  );
}
