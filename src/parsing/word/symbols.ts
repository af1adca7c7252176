import { codePoint } from 'dingbat-to-unicode';
import { TICKED, UNTICKED } from '../check-boxes.js';

/** Characters of symbol fonts lie in this range of the private use area. */
const [FIRST, LAST] = [0xf000, 0xf0ff];

/** Boxes of forms in the fonts that forms use. Other characters of these fonts are as the library maps them. */
const BOXES: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  wingdings: { 0x6f: UNTICKED, 0x71: UNTICKED, 0x72: UNTICKED, 0xa8: UNTICKED, 0xfd: TICKED, 0xfe: TICKED },
  'wingdings 2': { 0x2a: UNTICKED, 0xa3: UNTICKED, 0x51: TICKED, 0x52: TICKED, 0x53: TICKED, 0x54: TICKED },
};

/** The Unicode character that a character of a symbol font shows; empty when it is not known. */
export function symbolIn(font: string, code: number): string {
  const own = code >= FIRST && code <= LAST ? code - FIRST : code;
  const known = BOXES[font.toLowerCase()]?.[own] ?? codePoint(font, own)?.string;
  if (known !== undefined) return known;
  return own === code && code >= 0x20 && code <= 0x10ffff ? String.fromCodePoint(code) : '';
}

const SYMBOLS = /[\uf000-\uf0ff]/g;

/** Text with the characters of a symbol font as the characters that they show. */
export function withSymbols(text: string, font: string | undefined): string {
  return text.replace(SYMBOLS, (symbol) => symbolIn(font ?? 'Symbol', symbol.charCodeAt(0)) || symbol);
}
