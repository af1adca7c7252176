import { setImmediate } from 'node:timers/promises';
import { pagesOf } from '../../retrieval/chunk-pages.js';
import type { RetrievedChunk } from '../../retrieval/retrieval.types.js';

const SHINGLE = 5;
/** Share of the shingles of two texts that both have, from which they say the same. */
const SAME = 0.9;

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
const NUMBER = /\p{N}/u;

/** Chunks that are compared before other requests get their turn. */
const AT_ONCE = 50;

/**
 * Chunks without those that say what an earlier one says: the same words, or nearly the same words with the same
 * numbers, in the order they stand: two reports that differ in a year or an amount are two. Texts are near-duplicates from
 * a Jaccard similarity of their shingles on (Broder, "On the resemblance and containment of documents", 1997).
 *
 * Images are kept. Where pages come as their text, a passage goes when all of its pages are there already.
 */
export async function withoutNearDuplicates(
  chunks: readonly RetrievedChunk[],
  { pagesAsText = false } = {},
): Promise<RetrievedChunk[]> {
  const texts = new Map<string, ReadonlySet<string>[]>(); // shingles, by the numbers of their text
  const pages = new Set<string>();
  const kept: RetrievedChunk[] = [];
  for (const [index, chunk] of chunks.entries()) {
    if (index % AT_ONCE === AT_ONCE - 1) await setImmediate();
    const own = pagesOf(chunk).map((page) => `${chunk.documentId} ${page}`);
    if (chunk.imageKey !== null) {
      if (chunk.content !== '') for (const page of own) pages.add(page);
      kept.push(chunk);
      continue;
    }
    const isThere = pagesAsText && own.length > 0 && own.every((page) => pages.has(page));
    if (!isThere && isNew(chunk.content, texts)) {
      kept.push(chunk);
    }
  }
  return kept;
}

/** Whether none of the texts says the same; then it is one of them from now on. */
function isNew(content: string, texts: Map<string, ReadonlySet<string>[]>): boolean {
  const words = content.normalize('NFKC').toLowerCase().match(WORD) ?? [];
  const numbers = words.filter((word) => NUMBER.test(word)).join(' ');
  const others = texts.get(numbers) ?? [];
  const count = Math.max(1, words.length - SHINGLE + 1);
  const shingles = new Set(
    Array.from({ length: count }, (_, index) => words.slice(index, index + SHINGLE).join(' ')),
  );
  if (others.some((other) => saySame(shingles, other))) return false;
  texts.set(numbers, [...others, shingles]);
  return true;
}

/** Of two texts about different things this looks at a tenth of one. */
function saySame(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  let most = a.size - (SAME / (1 + SAME)) * (a.size + b.size); // that b may lack
  for (const shingle of a) {
    if (most < 0) return false;
    if (!b.has(shingle)) most -= 1;
  }
  return most >= 0;
}
