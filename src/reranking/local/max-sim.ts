import type { TokenVectors } from '../../embedding/local/text-model.messages.js';

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
