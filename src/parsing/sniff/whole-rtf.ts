import { damaged } from '../archive/archive.js';

const [OPEN, CLOSE, BACKSLASH] = Buffer.from('{}\\', 'latin1');

/** `\bin123 ` is followed by so many bytes of anything. */
const BINARY = /^\\bin(\d{1,9}) ?/;
const BINARY_LENGTH = 16;

/**
 * Rich Text Format is one group in braces; readers take one that never ends for a shorter text without a word.
 * @throws ParseFailure when it does not end.
 */
export function refuseCutOff(bytes: Uint8Array): void {
  const rtf = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let depth = 0;
  for (let at = 0; at < rtf.length; at += 1) {
    const byte = rtf[at];
    if (byte === OPEN) depth += 1;
    else if (byte === BACKSLASH) at += lengthOfEscape(rtf, at) - 1;
    else if (byte === CLOSE) {
      depth -= 1;
      if (depth === 0) return;
    }
  }
  throw damaged(new Error(`${depth} groups never end`));
}

function lengthOfEscape(rtf: Buffer, at: number): number {
  if (rtf[at + 1] !== 0x62) return 2; // b
  const binary = BINARY.exec(rtf.toString('latin1', at, at + BINARY_LENGTH));
  return binary === null ? 2 : binary[0].length + Number(binary[1]);
}
