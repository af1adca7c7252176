import { decode, encodingExists } from 'iconv-lite';

/** Labels of the WHATWG Encoding Standard by names outside of it. Keys are in lower case without separators. */
const SYNONYMS: Readonly<Record<string, string>> = {
  cp874: 'windows-874',
  cp932: 'shift_jis',
  cp936: 'gbk',
  cp949: 'euc-kr',
  uhc: 'euc-kr',
  cp950: 'big5',
  macroman: 'macintosh',
  maccyrillic: 'x-mac-cyrillic',
  latin7: 'iso-8859-13',
  latin8: 'iso-8859-14',
  latin9: 'iso-8859-15',
  latin10: 'iso-8859-16',
};

/** Encodings outside of the standard that iconv-lite decodes. The list excludes its other codecs, for example `hex`. */
const OTHER = /^(?:(?:cp|ibm)\d{3,4}|utf-?32(?:-?[lb]e)?|iso-?8859-16|mac(?!int)[a-z]+|armscii8|koi8-?t)$/;

/**
 * Standard encodings that iconv-lite decodes, with their names in iconv-lite. `TextDecoder` of Node 20 decodes
 * Windows-1252 as Latin-1, and EUC-KR without the syllables of the Windows code page.
 */
const DECODED_BY_ICONV: Readonly<Record<string, string>> = {
  'windows-1252': 'windows-1252',
  'euc-kr': 'cp949',
};

/**
 * Returns the name of an encoding by any of its labels, or undefined if no decoder knows it. Also accepts the spellings
 * of Python (`latin-1`, `euc_jp`) and Emacs (`iso-latin-1-unix`).
 */
export function encodingOf(label: string): string | undefined {
  const given = label.trim().toLowerCase();
  const bare = given
    .replace(/-(?:unix|dos|mac)$/, '')
    .replace(/[-_ ]/g, '')
    .replace(/^isolatin/, 'latin');
  return decoderOf(SYNONYMS[bare] ?? given) ?? decoderOf(given.replaceAll('_', '-')) ?? decoderOf(bare);
}

function decoderOf(name: string): string | undefined {
  try {
    return new TextDecoder(name).encoding;
  } catch {
    return OTHER.test(name) && encodingExists(name) ? name : undefined;
  }
}

/**
 * Decodes bytes without their byte order mark. Each invalid sequence becomes U+FFFD.
 * @param encoding a name from `encodingOf`
 */
export function decodeAs(bytes: Uint8Array, encoding: string): string {
  const iconvName = DECODED_BY_ICONV[encoding] ?? (isStandard(encoding) ? undefined : encoding);
  if (iconvName !== undefined) {
    return decode(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), iconvName);
  }
  const text = new TextDecoder(encoding).decode(bytes);
  // This encoding writes Vietnamese tones as combining marks.
  return encoding === 'windows-1258' ? text.normalize('NFC') : text;
}

function isStandard(encoding: string): boolean {
  try {
    return new TextDecoder(encoding).encoding === encoding;
  } catch {
    return false;
  }
}

/** Returns the encoding of the byte order mark, or undefined if there is no byte order mark. */
export function markedEncoding(bytes: Uint8Array): string | undefined {
  const starts = (...mark: number[]): boolean => mark.every((byte, index) => bytes[index] === byte);
  if (starts(0xef, 0xbb, 0xbf)) return 'utf-8';
  if (starts(0xff, 0xfe, 0, 0)) return 'utf-32le';
  if (starts(0, 0, 0xfe, 0xff)) return 'utf-32be';
  if (starts(0xff, 0xfe)) return 'utf-16le';
  if (starts(0xfe, 0xff)) return 'utf-16be';
  return undefined;
}
