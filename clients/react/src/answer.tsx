import {
  citedSource,
  ENGLISH,
  partsOf,
  placeName,
  type Citation,
  type Source,
  type Words,
} from '@lectern/client/ui';
import { useRef, type ReactElement } from 'react';
import { sourceId } from './sources.js';
import type { Asking } from './use-answer.js';

export interface AnswerProps {
  readonly answer: Asking;
  /** Called when a citation is chosen. Unset: the focus moves to the source in `<Sources>`. */
  readonly onCite?: ((citation: Citation, source: Source) => void) | undefined;
  readonly words?: Partial<Words> | undefined;
}

/**
 * The answer as it streams, as plain text. Citations are buttons. Screen readers hear the state, the complete answer and
 * errors.
 */
export function Answer({ answer, onCite, words: given }: AnswerProps): ReactElement {
  const words = { ...ENGLISH, ...given };
  const { id, state, text, sources, citations, error, isRunning, question } = answer;
  const whole = useRef<HTMLElement>(null);
  const cite = (citation: Citation, index: number, source: Source): void => {
    if (onCite === undefined) document.getElementById(sourceId(id, index))?.focus();
    else onCite(citation, source);
  };
  return (
    <section
      ref={whole}
      className="lectern-answer"
      aria-label={words.answer}
      data-state={state}
      tabIndex={-1}
    >
      <div className="lectern-text" aria-live="polite" aria-busy={isRunning} dir="auto">
        {partsOf(text, citations).map((part, key) => {
          if (typeof part === 'string') return part;
          const index = citedSource(part, sources);
          const source = sources[index];
          if (source === undefined) return text.slice(part.start, part.end);
          return (
            <button
              key={key}
              type="button"
              className="lectern-citation"
              aria-label={words.source(index + 1, placeName(part, words))}
              title={part.quote ?? undefined}
              onClick={() => {
                cite(part, index, source);
              }}
            >
              {index + 1}
            </button>
          );
        })}
      </div>
      <p className="lectern-state" role="status">
        {words.states[state]}
      </p>
      <div className="lectern-error" role="alert">
        {state === 'failed' && <p>{words.error(error)}</p>}
      </div>
      {isRunning && (
        <button
          type="button"
          className="lectern-stop"
          onClick={() => {
            answer.stop();
            whole.current?.focus(); // the button, which has the focus, disappears
          }}
        >
          {words.stop}
        </button>
      )}
      {question !== null && (state === 'failed' || state === 'stopped') && (
        <button
          type="button"
          className="lectern-retry"
          onClick={() => {
            whole.current?.focus();
            void answer.retry();
          }}
        >
          {words.askAgain}
        </button>
      )}
    </section>
  );
}
