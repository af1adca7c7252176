import { analyse } from 'chardet';

/** What is looked at: a declaration stands at the start, and statistics need no more. */
const DECLARATION = 1_024;
const SAMPLE = 65_536;

const DECLARED = /<meta[^>]+charset\s*=\s*["']?([\w-]+)|^\s*<\?xml[^>]+encoding\s*=\s*["']([\w-]+)/i;

/**
 * Encodings whose statistics are unlike those of any western text. Between the western ones they decide nothing: a
 * few accents look the same in all of them.
 */
const UNMISTAKABLE = /^(?:Shift_JIS|EUC-(?:JP|KR)|GB18030|Big5|KOI8-R|windows-125[1356]|ISO-8859-[5678])$/;
const LEAST_CONFIDENCE = 30;

/** A label that `TextDecoder` knows, for text that is no Unicode: declared in it, or likely by its bytes. */
export function detectEncoding(bytes: Uint8Array): string {
  const [, meta, xml] = DECLARED.exec(Buffer.from(bytes.subarray(0, DECLARATION)).toString('latin1')) ?? [];
  const declared = meta ?? xml;
  if (declared !== undefined && isKnown(declared)) return declared;
  const [likely] = analyse(bytes.subarray(0, SAMPLE));
  const isSure =
    likely !== undefined && likely.confidence >= LEAST_CONFIDENCE && UNMISTAKABLE.test(likely.name);
  return isSure && isKnown(likely.name) ? likely.name : 'windows-1252';
}

function isKnown(label: string): boolean {
  try {
    return new TextDecoder(label).encoding !== 'utf-8'; // what is not UTF-8 cannot become so by saying it
  } catch {
    return false; // a label that nobody knows
  }
}
