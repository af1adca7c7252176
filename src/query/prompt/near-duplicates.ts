import { setImmediate } from 'node:timers/promises';
import { pagesOf } from '../../retrieval/chunk-pages.js';
import type { RetrievedChunk } from '../../retrieval/retrieval.types.js';

const SHINGLE = 5;
/** Jaccard similarity of near-duplicates. */
const MIN_SIMILARITY = 0.9;

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
const NUMBER = /\p{N}/u;

/** Chunks to compare before yielding to other requests. */
const CHUNKS_PER_TURN = 50;

/**
 * Removes chunks that duplicate an earlier one: same words, or nearly the same words with the same numbers in the same
 * order, because reports that differ in a year or an amount are distinct. Near-duplicates are found by the Jaccard
 * similarity of their shingles (Broder, "On the resemblance and containment of documents", 1997).
 *
 * Images are kept. If pages are sent as text, a passage is removed when all of its pages are already included.
 */
export async function withoutNearDuplicates(
  chunks: readonly RetrievedChunk[],
  { pagesAsText = false } = {},
): Promise<RetrievedChunk[]> {
  const texts = new Map<string, ReadonlySet<string>[]>(); // shingles of texts, grouped by their numbers
  const pages = new Set<string>();
  const kept: RetrievedChunk[] = [];
  for (const [index, chunk] of chunks.entries()) {
    if (index % CHUNKS_PER_TURN === CHUNKS_PER_TURN - 1) await setImmediate();
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

/** Whether no earlier text is a near-duplicate; if so, registers the text. */
function isNew(content: string, texts: Map<string, ReadonlySet<string>[]>): boolean {
  const words = content.normalize('NFKC').toLowerCase().match(WORD) ?? [];
  const numbers = words.filter((word) => NUMBER.test(word)).join(' ');
  const others = texts.get(numbers) ?? [];
  const count = Math.max(1, words.length - SHINGLE + 1);
  const shingles = new Set(
    Array.from({ length: count }, (_, index) => words.slice(index, index + SHINGLE).join(' ')),
  );
  if (others.some((other) => areNearDuplicates(shingles, other))) return false;
  texts.set(numbers, [...others, shingles]);
  return true;
}

/** Stops early: for unrelated texts after a tenth of the shingles. */
function areNearDuplicates(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  let most = a.size - (MIN_SIMILARITY / (1 + MIN_SIMILARITY)) * (a.size + b.size); // shingles that b may lack
  for (const shingle of a) {
    if (most < 0) return false;
    if (!b.has(shingle)) most -= 1;
  }
  return most >= 0;
}
