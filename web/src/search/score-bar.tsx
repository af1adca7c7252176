import type { JSX } from 'preact';
import type { Chunk } from '../api/lectern.js';
import { t } from '../language/translate.js';
import { scoreText } from '../language/quantities.js';

const WIDTH = 100;
const HEIGHT = 6;

/** A score from 0 to 1, split into its components: meaning (dense) and words (BM25). */
export function ScoreBar({ chunk }: { readonly chunk: Chunk }): JSX.Element {
  const { score, score_parts: parts } = chunk;
  const words = shareOfWords(chunk);
  const dense = score * (1 - words) * WIDTH;
  const lexical = score * words * WIDTH;
  const said =
    parts === undefined
      ? null
      : {
          meaning: t('score.meaning', { score: parts.dense }),
          words: t('score.words', { score: parts.lexical }),
        };
  return (
    <div class="score">
      <span class="score-value">{scoreText(score)}</span>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={said === null ? t('score.score', { score }) : t('score.withParts', { score, ...said })}
      >
        <rect class="score-ground" width={WIDTH} height={HEIGHT} />
        <rect class={parts === undefined ? 'score-whole' : 'score-dense'} width={dense} height={HEIGHT} />
        <rect class="score-lexical" x={dense} width={lexical} height={HEIGHT} />
      </svg>
      {said !== null && (
        <span class="small score-parts">
          <span class="dense">{said.meaning}</span>
          <span class="lexical">{said.words}</span>
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
