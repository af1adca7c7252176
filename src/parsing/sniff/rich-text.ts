import { damaged } from '../archive/archive.js';

const [OPEN, CLOSE, BACKSLASH] = Buffer.from('{}\\', 'latin1');

/** `\bin123 ` is followed by so many bytes of anything. */
const BINARY = /^\\bin(\d{1,9}) ?/;

/** A control word, with the space that ends it. */
const WORD = /^\\([a-z]{1,32})(-?\d{1,10})?( ?)/;

/** Longer than any control word. */
const WORD_LENGTH = 48;

/** How characters look; what they are is left: fonts, which may decide it, languages, styles. */
const LOOKS = new Set(
  'b i ul uld uldb ulw ulnone ulth fs cf cb chcbpat highlight strike striked caps scaps expnd expndtw kerning outl shad embo impr up dn sub super nosupersub'.split(
    ' ',
  ),
);

/**
 * Rich Text Format without the looks of its characters, for which no reader asks: LibreOffice takes a millisecond for each
 * run of another look, and the square of their number where they are nested.
 * @throws ParseFailure when it is cut off: it is one group in braces, and readers take one that never ends for a shorter
 *   text without a word.
 */
export function withoutLooks(bytes: Uint8Array): Uint8Array {
  const rtf = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const kept = Buffer.alloc(rtf.length);
  let length = 0;
  let depth = 0;
  /** A word that no space ended stands before `length`. */
  let isOpen = false;
  for (let at = 0; at < rtf.length;) {
    const byte = rtf[at];
    const head = byte === BACKSLASH ? rtf.toString('latin1', at, at + WORD_LENGTH) : '';
    const [word = '', name = '', , space = ''] = WORD.exec(head) ?? [];
    const binary = BINARY.exec(head);
    const size =
      binary === null
        ? word === ''
          ? head === ''
            ? 1
            : 2
          : word.length
        : binary[0].length + Number(binary[1]);
    if (LOOKS.has(name)) {
      if (isOpen) kept[length++] = 0x20; // what ended the word before has gone
      isOpen = false;
    } else {
      length += rtf.copy(kept, length, at, at + size);
      isOpen = word !== '' && space === '' && binary === null;
    }
    at += size;
    if (byte === OPEN) depth += 1;
    else if (byte === CLOSE) depth -= 1;
    if (byte === CLOSE && depth === 0) return kept.subarray(0, length);
  }
  throw damaged(new Error(`${depth} groups never end`));
}
