import { ProviderFailed } from '../../errors/index.js';

/** Who is meant in an error. */
export const PROVIDER = 'The reranker';

interface Item {
  readonly index?: unknown;
  readonly relevance_score?: unknown;
  readonly score?: unknown;
}

/**
 * The scores of an answer in the order of the passages. Cohere, Jina and vLLM answer `results`, Voyage `data`,
 * text-embeddings-inference the bare list; they are sorted by score, so that the index of each counts.
 *
 * @throws ProviderFailed when the answer is not `count` scores.
 */
export function scoresOf(answer: unknown, count: number): number[] {
  const items = listIn(answer);
  const scores = new Map<number, number>();
  for (const { index, relevance_score: relevance, score = relevance } of items) {
    if (typeof index !== 'number' || typeof score !== 'number' || !Number.isFinite(score)) {
      throw unusable('an item without an index and a score');
    }
    scores.set(index, score);
  }
  return Array.from({ length: count }, (_, index) => {
    const score = scores.get(index);
    if (score === undefined) throw unusable('no score for a passage');
    return score;
  });
}

function listIn(answer: unknown): readonly Item[] {
  const body = (answer ?? {}) as { readonly results?: unknown; readonly data?: unknown };
  const list = [body, body.results, body.data].find((candidate) => Array.isArray(candidate));
  if (list === undefined) throw unusable('no list of scores');
  return list.map((item: unknown): Item => item ?? {});
}

export function unusable(what: string): ProviderFailed {
  return new ProviderFailed(`${PROVIDER} answered ${what}`);
}
