import { damaged } from '../archive/archive.js';

const [OPEN, CLOSE, BACKSLASH] = Buffer.from('{}\\', 'latin1');

/** `\bin123 ` is followed by that number of raw bytes. */
const BINARY = /^\\bin(\d{1,9}) ?/;

/** A control word with its terminating space. */
const WORD = /^\\([a-z]{1,32})(-?\d{1,10})?( ?)/;

/** Upper bound of the length of a control word. */
const WORD_LENGTH = 48;

/**
 * Control words that change only the appearance of characters. Excludes control words that affect the text: fonts
 * (which may select an encoding), languages, styles.
 */
const APPEARANCE = new Set(
  'b i ul uld uldb ulw ulnone ulth fs cf cb chcbpat highlight strike striked caps scaps expnd expndtw kerning outl shad embo impr up dn sub super nosupersub'.split(
    ' ',
  ),
);

/**
 * Removes character appearance from Rich Text Format, because LibreOffice needs a millisecond per formatted run, and
 * quadratic time for nested runs.
 *
 * @throws ParseFailure if the file is truncated. The file is one group in braces, and other readers silently accept an
 * unclosed group as a shorter text.
 */
export function withoutAppearance(bytes: Uint8Array): Uint8Array {
  const rtf = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const kept = Buffer.alloc(rtf.length);
  let length = 0;
  let depth = 0;
  /** Whether the output ends with a control word without a terminating space. */
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
    if (APPEARANCE.has(name)) {
      if (isOpen) kept[length++] = 0x20; // the delimiter of the previous word was removed
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
  throw damaged(new Error(`${depth} groups are not closed`));
}
