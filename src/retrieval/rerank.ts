import type { Reranker } from '../reranking/reranker.js';

/** Matches that are reranked, whatever `k` is: so a chunk's score does not change with `k`. */
export const RERANK_DEPTH = 20;

/** What can be reranked: by its text. */
interface Rankable {
  readonly content: string;
  readonly score: number;
}

/**
 * Gives the best {@link RERANK_DEPTH} matches the reranker's scores and orders them by these. Matches below that depth
 * keep their order and their scores, as far as these are not above the least of the reranked ones: scores fall with the
 * rank.
 */
export async function rerank<T extends Rankable>(
  reranker: Reranker,
  query: string,
  matches: readonly T[],
): Promise<T[]> {
  const head = matches.slice(0, RERANK_DEPTH);
  const scores = await reranker.rerank(
    query,
    head.map(({ content }) => content),
  );
  const reranked = head
    .map((match, index) => ({ ...match, score: scores[index] ?? 0 }))
    .sort((a, b) => b.score - a.score);
  const least = reranked.at(-1)?.score ?? 0;
  const tail = matches
    .slice(RERANK_DEPTH)
    .map((match) => ({ ...match, score: Math.min(match.score, least) }));
  return [...reranked, ...tail];
}
