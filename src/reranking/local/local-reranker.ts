import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LocalTextModel } from '../../embedding/local/local-text-model.js';
import { Reranker } from '../reranker.js';
import { meanMaxSim } from './max-sim.js';

/**
 * Adapter: late interaction over the token vectors of the bundled model. The score is (1 + s) / 2, s being the mean
 * over the query's tokens of their best cosine among the passage's tokens. Passages are cut at 256 word pieces.
 */
export class LocalReranker extends Reranker {
  readonly model = 'local/all-MiniLM-L6-v2';

  constructor(private readonly textModel: LocalTextModel) {
    super();
  }

  async rerank(query: string, passages: readonly string[], signal?: AbortSignal): Promise<number[]> {
    if (passages.length === 0) return [];
    const [asked, ...read] = await this.textModel.tokenVectors([query, ...passages], {
      urgent: true,
      signal,
    });
    if (asked === undefined) throw new Error('The text model answered without vectors');
    const scores: number[] = [];
    for (const passage of read) {
      scores.push((1 + meanMaxSim(asked, passage)) / 2);
      await nextTurn(); // a passage takes a millisecond or two; other requests come in between
      signal?.throwIfAborted();
    }
    return scores;
  }
}
