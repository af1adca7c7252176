import { codePoint } from 'dingbat-to-unicode';
import { TICKED, UNTICKED } from '../check-boxes.js';

/** Private-use range of symbol fonts. */
const [FIRST, LAST] = [0xf000, 0xf0ff];

/** Check boxes in common symbol fonts. The library maps other characters. */
const BOXES: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  wingdings: { 0x6f: UNTICKED, 0x71: UNTICKED, 0x72: UNTICKED, 0xa8: UNTICKED, 0xfd: TICKED, 0xfe: TICKED },
  'wingdings 2': { 0x2a: UNTICKED, 0xa3: UNTICKED, 0x51: TICKED, 0x52: TICKED, 0x53: TICKED, 0x54: TICKED },
};

/** The Unicode equivalent of a symbol font's character; empty if unknown. */
export function symbolIn(font: string, code: number): string {
  const own = code >= FIRST && code <= LAST ? code - FIRST : code;
  const known = BOXES[font.toLowerCase()]?.[own] ?? codePoint(font, own)?.string;
  if (known !== undefined) return known;
  return own === code && code >= 0x20 && code <= 0x10ffff ? String.fromCodePoint(code) : '';
}

const SYMBOLS = /[\uf000-\uf0ff]/g;

/** Replaces characters of a symbol font with their Unicode equivalents. */
export function withSymbols(text: string, font: string | undefined): string {
  return text.replace(SYMBOLS, (symbol) => symbolIn(font ?? 'Symbol', symbol.charCodeAt(0)) || symbol);
}
