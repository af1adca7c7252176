import type { JSX } from 'preact';
import type { Chunk } from '../api/lectern.js';

const WIDTH = 100;
const HEIGHT = 6;

/** A score from 0 to 1, split into its components: meaning (dense) and words (BM25). */
export function ScoreBar({ chunk }: { readonly chunk: Chunk }): JSX.Element {
  const { score, score_parts: parts } = chunk;
  const words = shareOfWords(chunk);
  const dense = score * (1 - words) * WIDTH;
  const lexical = score * words * WIDTH;
  const said =
    parts === undefined ? '' : `meaning ${parts.dense.toFixed(2)}, words ${parts.lexical.toFixed(2)}`;
  return (
    <div class="score">
      <span class="score-value">{score.toFixed(3)}</span>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Score ${score.toFixed(3)}${said === '' ? '' : `: ${said}`}`}
      >
        <rect class="score-ground" width={WIDTH} height={HEIGHT} />
        <rect class={parts === undefined ? 'score-whole' : 'score-dense'} width={dense} height={HEIGHT} />
        <rect class="score-lexical" x={dense} width={lexical} height={HEIGHT} />
      </svg>
      {parts !== undefined && (
        <span class="small score-parts">
          <span class="dense">meaning {parts.dense.toFixed(2)}</span>
          <span class="lexical">words {parts.lexical.toFixed(2)}</span>
        </span>
      )}
    </div>
  );
}

/**
 * Share of the lexical component in the score. Scores on other scales (pages, reranker) are divided in the same
 * proportion.
 */
function shareOfWords({ score_parts: parts }: Chunk): number {
  if (parts === undefined) return 0;
  const lexical = parts.weights.lexical * parts.lexical;
  const whole = parts.weights.dense * parts.dense + lexical;
  return whole === 0 ? 0 : lexical / whole;
}
