import type { RetrievedChunk } from '../../retrieval/retrieval.types.js';

/** Words of a shingle. */
const SHINGLE = 5;
/** Share of the shingles of two texts that both have, from which they say the same. */
const SAME = 0.9;

const WORD = /[\p{L}\p{M}\p{N}]+/gu;

/** A text as it is compared. */
interface Shingled {
  readonly shingles: ReadonlySet<string>;
  /** Those of which two texts that say the same share at least one. */
  readonly prefix: readonly string[];
  /** In the order they stand: two reports that differ in a year or an amount are two. */
  readonly numbers: string;
}

/**
 * Chunks without those that say what an earlier one says: the same words, or nearly the same words with the same
 * numbers. Texts are near-duplicates from a Jaccard similarity of their shingles on (Broder, "On the resemblance and
 * containment of documents", 1997), and found by a prefix of their sorted shingles (Bayardo, Ma and Srikant, "Scaling up
 * all pairs similarity search", 2007). Images are kept.
 */
export function withoutNearDuplicates(chunks: readonly RetrievedChunk[]): RetrievedChunk[] {
  const known = new Map<string, Shingled[]>();
  return chunks.filter(({ content, isImage }) => {
    if (isImage) return true;
    const text = shingled(content);
    const near = new Set(text.prefix.flatMap((shingle) => known.get(shingle) ?? []));
    if ([...near].some((other) => saySame(text, other))) return false;
    for (const shingle of text.prefix) {
      const holding = known.get(shingle);
      if (holding === undefined) known.set(shingle, [text]);
      else holding.push(text);
    }
    return true;
  });
}

function shingled(content: string): Shingled {
  const words = content.normalize('NFKC').toLowerCase().match(WORD) ?? [];
  const count = Math.max(1, words.length - SHINGLE + 1);
  const shingles = new Set(
    Array.from({ length: count }, (_, index) => words.slice(index, index + SHINGLE).join(' ')),
  );
  const length = shingles.size - Math.ceil(SAME * shingles.size) + 1;
  return {
    shingles,
    prefix: [...shingles].sort().slice(0, length),
    numbers: words.filter((word) => /\p{N}/u.test(word)).join(' '),
  };
}

function saySame(a: Shingled, b: Shingled): boolean {
  if (a.numbers !== b.numbers) return false;
  let shared = 0;
  for (const shingle of a.shingles) if (b.shingles.has(shingle)) shared += 1;
  return shared >= SAME * (a.shingles.size + b.shingles.size - shared);
}
