import { createHash } from 'node:crypto';

/** A row of `document_texts`. Offsets are UTF-16 code units. */
export interface TextPart {
  readonly part: number;
  readonly startOffset: number;
  readonly content: string;
}

/** A chunk that readers see. */
export interface TextChunk {
  readonly number: number;
  readonly start: number;
  readonly end: number;
  readonly content: string;
  /** Recorded SHA-256 of the content, hexadecimal. */
  readonly hash: string;
}

/** The text of a document, as far as its rows prove it. */
export type ProvenText =
  | {
      readonly text: string;
      /** Whether the stored parts already are this text. */
      readonly isStored: boolean;
    }
  | {
      readonly lost: string;
      /** Whether there is neither a part nor a chunk. */
      readonly isNothingLeft?: boolean;
    };

/** Whether a chunk is as it was written. */
export function isIntact({ start, end, content, hash }: TextChunk): boolean {
  return content.length === end - start && createHash('sha256').update(content).digest('hex') === hash;
}

/**
 * Composes the text of a document from its stored parts and its intact chunks. An intact chunk proves its place in the
 * text; a part is believed where no chunk contradicts it. Between successive chunks is only white space, because the splitter
 * leaves out nothing else.
 * @param recorded length of the text and number of chunks in the row of the document
 * @returns the text; or what is lost, as a sentence without a full stop
 */
export function provenText(
  parts: readonly TextPart[],
  chunks: readonly TextChunk[],
  recorded: { readonly length: number; readonly chunks: number },
): ProvenText {
  const intact = chunks.filter(isIntact);
  const stored = parts.map(({ content }) => content).join('');
  if (
    isConsistent(parts, recorded.length) &&
    intact.every(({ start, end, content }) => stored.slice(start, end) === content)
  ) {
    return { text: stored, isStored: true };
  }
  const length = Math.max(recorded.length, ...intact.map(({ end }) => end));
  const text = new Composed(length);
  for (const part of parts)
    if (isBelieved(part, parts, intact, length)) text.write(part.startOffset, part.content);
  for (const { number, start, content } of intact) {
    if (!text.prove(start, content)) return { lost: `chunk ${number} contradicts another chunk` };
  }
  for (const [start, end] of spacesBetween(intact, length, recorded.chunks)) text.blank(start, end);
  const gap = text.firstGap();
  if (gap !== undefined) return { lost: `characters ${gap.start} to ${gap.end} of the text are lost` };
  return { text: text.toString(), isStored: false };
}

/** Whether the parts follow each other from the start to the recorded length. */
function isConsistent(parts: readonly TextPart[], length: number): boolean {
  let at = 0;
  for (const [index, { part, startOffset, content }] of parts.entries()) {
    if (part !== index || startOffset !== at) return false;
    at += content.length;
  }
  return at === length;
}

/** Whether a part has the length that its neighbour proves, or agrees with each chunk inside it. */
function isBelieved(
  { part, startOffset, content }: TextPart,
  parts: readonly TextPart[],
  intact: readonly TextChunk[],
  length: number,
): boolean {
  const end = startOffset + content.length;
  const next = parts.find((one) => one.part === part + 1);
  const isLast = parts.every((one) => one.part <= part);
  if (next?.startOffset === end || (isLast && end === length)) return true;
  if (next !== undefined || end > length) return false;
  const inside = intact.filter((chunk) => chunk.start >= startOffset && chunk.start < end);
  return (
    inside.length > 0 &&
    inside.every((chunk) => {
      const own = content.slice(chunk.start - startOffset, chunk.end - startOffset);
      return chunk.content.startsWith(own);
    })
  );
}

/** Returns the ranges before, between and after chunks that follow each other. */
function spacesBetween(
  intact: readonly TextChunk[],
  length: number,
  count: number,
): (readonly [start: number, end: number])[] {
  const byNumber = new Map(intact.map((chunk) => [chunk.number, chunk]));
  return intact.flatMap(({ number, start, end }) => {
    const next = number === count - 1 ? length : byNumber.get(number + 1)?.start;
    return [
      ...(number === 0 ? [[0, start] as const] : []),
      ...(next === undefined ? [] : [[end, next] as const]),
    ];
  });
}

/** What is known of a character. */
const Known = { No: 0, Believed: 1, Proven: 2 } as const;

/** A text that is written in pieces. Unknown characters are spaces. */
class Composed {
  private readonly units: Uint16Array;
  private readonly known: Uint8Array;

  constructor(length: number) {
    this.units = new Uint16Array(length).fill(0x20);
    this.known = new Uint8Array(length);
  }

  write(start: number, content: string): void {
    for (let at = 0; at < content.length && start + at < this.units.length; at += 1) {
      this.units[start + at] = content.charCodeAt(at);
      this.known[start + at] = Known.Believed;
    }
  }

  /** @returns false if the content contradicts what is proven already */
  prove(start: number, content: string): boolean {
    for (let at = 0; at < content.length; at += 1) {
      const unit = content.charCodeAt(at);
      if (this.known[start + at] === Known.Proven && this.units[start + at] !== unit) return false;
      this.units[start + at] = unit;
      this.known[start + at] = Known.Proven;
    }
    return true;
  }

  /** Takes unknown characters for white space. */
  blank(start: number, end: number): void {
    for (let at = start; at < end; at += 1) if (this.known[at] === Known.No) this.known[at] = Known.Believed;
  }

  firstGap(): { readonly start: number; readonly end: number } | undefined {
    const start = this.known.indexOf(Known.No);
    if (start < 0) return undefined;
    let end = start;
    while (end < this.known.length && this.known[end] === Known.No) end += 1;
    return { start, end };
  }

  toString(): string {
    return new TextDecoder('utf-16le').decode(this.units);
  }
}
