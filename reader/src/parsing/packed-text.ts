/** A part of a text as bytes: one or two per UTF-16 code unit. */
export interface PackedPart {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly isWide: boolean;
}

/** Length of a part in UTF-16 code units. */
const PART_LENGTH = 2 ** 20;

const WIDE = /[^\0-\xff]/;

/**
 * A long text outside of the JavaScript heap. The text arrives from its reader in parts, so that the heap never holds
 * the text several times. Parts without characters above U+00FF use one byte per character.
 */
export class PackedText {
  readonly length: number;
  private readonly parts: readonly Buffer[];

  constructor(private readonly packed: readonly PackedPart[]) {
    this.parts = packed.map(({ bytes }) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    this.length = packed.reduce((sum, { bytes, isWide }) => sum + bytes.length / (isWide ? 2 : 1), 0);
  }

  /** Like `String.prototype.slice`, with non-negative offsets. */
  slice(start = 0, end = this.length): string {
    const slices: string[] = [];
    for (let at = start; at < Math.min(end, this.length);) {
      const index = Math.floor(at / PART_LENGTH);
      const base = index * PART_LENGTH;
      const until = Math.min(end, base + PART_LENGTH);
      slices.push(this.sliceOfPart(index, at - base, until - base));
      at = until;
    }
    return slices.join('');
  }

  private sliceOfPart(index: number, start: number, end: number): string {
    const part = this.parts[index];
    if (part === undefined) return '';
    return this.packed[index]?.isWide === true
      ? part.toString('utf16le', start * 2, end * 2)
      : part.toString('latin1', start, end);
  }
}

export function* packedParts(text: string): Generator<PackedPart> {
  for (let start = 0; start < text.length; start += PART_LENGTH) {
    const part = text.slice(start, start + PART_LENGTH);
    const isWide = WIDE.test(part);
    const bytes = new Uint8Array(isWide ? part.length * 2 : part.length);
    Buffer.from(bytes.buffer).write(part, isWide ? 'utf16le' : 'latin1');
    yield { bytes, isWide };
  }
}

/** Whether a text is long enough to pack. */
export function isLong(text: string): boolean {
  return text.length > PART_LENGTH;
}
