/** A part of a text as bytes: one or two for each UTF-16 code unit. */
export interface PackedPart {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly isWide: boolean;
}

/** UTF-16 code units of a part. */
const PART_LENGTH = 2 ** 20;

const WIDE = /[^\0-\xff]/;

/**
 * A long text outside of the JavaScript heap: it comes from its reader part by part, and the heap does not grow
 * to a multiple of it before its garbage is collected. Parts without characters above U+00FF take half the room.
 */
export class PackedText {
  readonly length: number;
  private readonly parts: readonly Buffer[];

  constructor(private readonly packed: readonly PackedPart[]) {
    this.parts = packed.map(({ bytes }) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    this.length = packed.reduce((sum, { bytes, isWide }) => sum + bytes.length / (isWide ? 2 : 1), 0);
  }

  /** As `String.prototype.slice`; offsets are UTF-16 code units and not negative. */
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

/** The parts of a long text, each in a buffer of its own. */
export function* packedParts(text: string): Generator<PackedPart> {
  for (let start = 0; start < text.length; start += PART_LENGTH) {
    const part = text.slice(start, start + PART_LENGTH);
    const isWide = WIDE.test(part);
    const bytes = new Uint8Array(isWide ? part.length * 2 : part.length);
    Buffer.from(bytes.buffer).write(part, isWide ? 'utf16le' : 'latin1');
    yield { bytes, isWide };
  }
}

/** Whether a text is so long that it is worth packing. */
export function isLong(text: string): boolean {
  return text.length > PART_LENGTH;
}
