import type { ScoredChunk } from '../chunks/chunk.js';
import type { Reranker } from '../reranking/reranker.js';

/** Matches that are reranked, whatever `k` is: so a chunk's score does not change with `k`. */
export const RERANK_DEPTH = 20;

/**
 * Gives the best {@link RERANK_DEPTH} chunks the reranker's scores and orders them by these. Chunks below that depth keep
 * their order and their scores, as far as these are not above the least of the reranked ones: scores fall with the rank.
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
    .map((chunk, index) => ({ ...chunk, score: scores[index] ?? 0 }))
    .sort((a, b) => b.score - a.score);
  const least = reranked.at(-1)?.score ?? 0;
  const tail = chunks.slice(RERANK_DEPTH).map((chunk) => ({ ...chunk, score: Math.min(chunk.score, least) }));
  return [...reranked, ...tail];
}
