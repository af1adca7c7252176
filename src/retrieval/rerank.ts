import type { ScoredChunk } from '../chunks/chunk.js';
import type { Reranker } from '../reranking/reranker.js';

/** Matches that are reranked, whatever `k` is: so a chunk's score does not change with `k`. */
export const RERANK_DEPTH = 20;

const RERANK_WEIGHT = 0.3;

/**
 * Scores the best {@link RERANK_DEPTH} chunks again as .3 x rerank + .7 x first stage and orders them by it. Chunks
 * below that depth keep .7 x first stage, which no reranked one falls under, so that scores stay monotone with rank.
 */
export async function rerank(
  reranker: Reranker,
  query: string,
  chunks: readonly ScoredChunk[],
): Promise<ScoredChunk[]> {
  const head = chunks.slice(0, RERANK_DEPTH);
  const scores = await reranker.rerank(
    query,
    head.map(({ content }) => content),
  );
  const reranked = head
    .map((chunk, index) => ({
      ...chunk,
      score: (1 - RERANK_WEIGHT) * chunk.score + RERANK_WEIGHT * (scores[index] ?? 0),
    }))
    .sort((a, b) => b.score - a.score);
  const tail = chunks
    .slice(RERANK_DEPTH)
    .map((chunk) => ({ ...chunk, score: (1 - RERANK_WEIGHT) * chunk.score }));
  return [...reranked, ...tail];
}
