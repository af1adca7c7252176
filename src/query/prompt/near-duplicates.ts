import { setImmediate } from 'node:timers/promises';
import type { RetrievedChunk } from '../../retrieval/retrieval.types.js';

const SHINGLE = 5;
/** Share of the shingles of two texts that both have, from which they say the same. */
const SAME = 0.9;

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
const NUMBER = /\p{N}/u;

/** Chunks that are compared before other requests get their turn. */
const AT_ONCE = 50;

/** A text as it is compared. */
interface Shingled {
  /** Ascending. */
  readonly shingles: readonly string[];
  /** Those of which two texts that say the same share at least one. */
  readonly prefix: readonly string[];
  /** In the order they stand: two reports that differ in a year or an amount are two. */
  readonly numbers: string;
}

/**
 * Chunks without those that say what an earlier one says: the same words, or nearly the same words with the same
 * numbers. Texts are near-duplicates from a Jaccard similarity of their shingles on (Broder, "On the resemblance and
 * containment of documents", 1997), and found by a prefix of their sorted shingles (Bayardo, Ma and Srikant, "Scaling up
 * all pairs similarity search", 2007).
 *
 * Images are kept. A passage of a page that is there already goes where pages come as their text, which holds it.
 */
export async function withoutNearDuplicates(
  chunks: readonly RetrievedChunk[],
  { pagesAsText = false } = {},
): Promise<RetrievedChunk[]> {
  const known = new Map<string, Shingled[]>();
  const pages = new Set<string>();
  const kept: RetrievedChunk[] = [];
  for (const [index, chunk] of chunks.entries()) {
    if (index % AT_ONCE === AT_ONCE - 1) await setImmediate();
    const page = `${chunk.documentId} ${String(chunk.pageNumber)}`;
    if (chunk.imageKey !== null) {
      if (chunk.content !== '') pages.add(page);
      kept.push(chunk);
    } else if (!(pagesAsText && pages.has(page)) && isNew(shingled(chunk.content), known)) {
      kept.push(chunk);
    }
  }
  return kept;
}

/** Whether none of the texts says the same; then it is one of them from now on. */
function isNew(text: Shingled, known: Map<string, Shingled[]>): boolean {
  const near = new Set(text.prefix.flatMap((shingle) => known.get(shingle) ?? []));
  for (const other of near) if (saySame(text, other)) return false;
  for (const shingle of text.prefix) {
    const holding = known.get(shingle);
    if (holding === undefined) known.set(shingle, [text]);
    else holding.push(text);
  }
  return true;
}

function shingled(content: string): Shingled {
  const words = content.normalize('NFKC').toLowerCase().match(WORD) ?? [];
  const count = Math.max(1, words.length - SHINGLE + 1);
  const all = Array.from({ length: count }, (_, index) => words.slice(index, index + SHINGLE).join(' '));
  const shingles = [...new Set(all)].sort();
  const length = shingles.length - Math.ceil(SAME * shingles.length) + 1;
  return {
    shingles,
    prefix: shingles.slice(0, length),
    numbers: words.filter((word) => NUMBER.test(word)).join(' '),
  };
}

function saySame(a: Shingled, b: Shingled): boolean {
  if (a.numbers !== b.numbers) return false;
  const others = new Set(b.shingles);
  const shared = a.shingles.filter((shingle) => others.has(shingle)).length;
  return shared >= SAME * (a.shingles.length + others.size - shared);
}
