import { detectAll } from 'jschardet';
import { firstAboveAscii } from './damaged-utf8.js';
import { decodeAs, encodingOf } from './encodings.js';
import { countOddCharacters, countReplaced } from './odd-characters.js';

/** Bytes in the sample for the statistics. A longer sample does not change the result. */
const SAMPLE = 16_384;

/**
 * Maximum number of bytes in the sample before the first byte above ASCII. The sample begins at the start of a line.
 */
const LEAD = 256;

/** Characters of a sample that the check for oddities reads. */
const MAX_CHARACTERS = 4_096;

/** Encodings of real files. The other encodings would only lower the accuracy of the detector. */
const WIDE = ['utf-16-le', 'utf-16-be', 'utf-32-le', 'utf-32-be'];
/** The fallback of the detector. The detector requires this encoding among the candidates. */
const NOT_WIDE = 'windows-1252';
const NARROW =
  'windows-1250 windows-1251 windows-1252 windows-1253 windows-1254 windows-1255 windows-1256 windows-1257 windows-1258 iso-8859-2 iso-8859-5 iso-8859-6 iso-8859-7 iso-8859-8 iso-8859-9 iso-8859-13 iso-8859-15 iso-8859-16 koi8-r koi8-u ibm866 cp437 cp850 cp852 macroman maccyrillic cp874 cp932 shift_jis euc-jp gb18030 big5 cp949 euc-kr'.split(
    ' ',
  );

/** Number of likeliest candidates whose text is checked for oddities. */
const CANDIDATES = 8;

/** Recognises UTF-16 or UTF-32 without a mark by statistics. */
export function guessWideEncoding(bytes: Uint8Array): string | undefined {
  const [likeliest] = detectAll(bytes.subarray(0, SAMPLE), {
    detectEncodings: [...WIDE, NOT_WIDE],
    minimumThreshold: 0,
  });
  const label = likeliest?.encoding ?? NOT_WIDE;
  return WIDE.includes(label) ? encodingOf(label.replace(/-([lb]e)$/, '$1')) : undefined;
}

/**
 * Returns the likeliest encoding of text that is not Unicode, by the statistics of the bytes and the oddities of the
 * decoded text; Windows-1252 if no encoding is likely.
 */
export function guessNarrowEncoding(bytes: Uint8Array): string {
  const sample = sampleOf(bytes);
  let best = { encoding: 'windows-1252', score: 0 };
  const likeliest = detectAll(sample, { detectEncodings: NARROW, minimumThreshold: 0 });
  for (const { encoding: label, confidence } of likeliest.slice(0, CANDIDATES)) {
    const encoding = label === null ? undefined : encodingOf(label);
    if (encoding === undefined) continue;
    const score = confidence * (1 - shareOfOddities(decodeAs(sample, encoding).slice(0, MAX_CHARACTERS)));
    if (score > best.score) best = { encoding, score };
  }
  return best.encoding;
}

/** Returns a sample that begins at the line of the first byte above ASCII. */
function sampleOf(bytes: Uint8Array): Uint8Array {
  const first = firstAboveAscii(bytes);
  const lead = bytes.subarray(Math.max(0, first - LEAD), first);
  const start = first - (lead.length - 1 - lead.lastIndexOf(0x0a));
  return bytes.subarray(start, start + SAMPLE);
}

const SCRIPTS = [
  /\p{Script=Latin}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Hebrew}/u,
  /\p{Script=Arabic}/u,
];

/**
 * Returns the share of oddities, from 0 (none) to 1 (many): words with letters of two scripts, odd characters and
 * U+FFFD.
 */
function shareOfOddities(text: string): number {
  let odd = 2 * (countOddCharacters(text) + countReplaced(text));
  for (const [word] of text.matchAll(/[\p{L}\p{M}]+/gu)) {
    if (SCRIPTS.filter((script) => script.test(word)).length > 1) odd += word.length;
  }
  const beyondAscii = text.match(/\P{ASCII}/gu)?.length ?? 0;
  return Math.min(1, odd / Math.max(1, beyondAscii));
}
