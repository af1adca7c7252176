import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LocalTextModel } from '../embedding/local/local-text-model.js';
import type { TokenVectors } from '../embedding/local/text-model.messages.js';
import { currentSignal, throwIfAborted } from '../request/request-context.js';
import { Reranker } from './reranker.js';

/**
 * Adapter: late interaction over the token vectors of the bundled model. The score is (1 + s) / 2, s being the mean
 * over the query's tokens of their best cosine among the passage's tokens. Passages are cut at 256 word pieces.
 */
export class LocalReranker extends Reranker {
  readonly model = 'local/all-MiniLM-L6-v2';

  constructor(private readonly textModel: LocalTextModel) {
    super();
  }

  async rerank(query: string, passages: readonly string[]): Promise<number[]> {
    if (passages.length === 0) return [];
    const [asked, ...read] = await this.textModel.tokenVectors([query, ...passages], {
      urgent: true,
      signal: currentSignal(),
    });
    if (asked === undefined) throw new Error('The text model answered without vectors');
    const scores: number[] = [];
    for (const passage of read) {
      scores.push((1 + meanMaxSim(asked, passage)) / 2);
      await nextTurn(); // a passage takes a millisecond or two; other requests come in between
      throwIfAborted();
    }
    return scores;
  }
}

/**
 * Late interaction (Khattab and Zaharia, "ColBERT", 2020, section 3.3), as a mean instead of a sum, so that long
 * queries score like short ones: for every query token the best cosine among the passage's tokens.
 *
 * @returns a number in [-1, 1]; both sides have vectors of length 1.
 */
export function meanMaxSim(query: TokenVectors, passage: TokenVectors): number {
  const { dimensions } = query;
  let sum = 0;
  for (let q = 0; q < query.tokens * dimensions; q += dimensions) {
    let best = -1;
    for (let p = 0; p < passage.tokens * dimensions; p += dimensions) {
      let dot = 0;
      for (let d = 0; d < dimensions; d++) dot += (query.values[q + d] ?? 0) * (passage.values[p + d] ?? 0);
      if (dot > best) best = dot;
    }
    sum += best;
  }
  return Math.max(-1, Math.min(1, sum / query.tokens));
}
