import { useEffect, useRef, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { Rating } from '../api/lectern.js';
import { CopyButton } from '../design/copy-button.js';
import { Icon } from '../design/icon.js';
import { counted } from '../documents/describe.js';
import { AnswerText } from './answer-text.js';
import type { Answer } from './answer.js';
import { useFeedback } from './feedback.js';
import { Silence } from './silence.js';
import { Sources } from './sources.js';
import { Steps } from './steps.js';
import type { EarlyEnd, Turn } from './turn.js';

interface QuestionTurnProps {
  readonly text: string;
  /** Unset: the question cannot be edited now. */
  readonly onEdit?: (text: string) => void;
}

/** A question of the reader, which they may edit. */
export function QuestionTurn({ text, onEdit }: QuestionTurnProps): JSX.Element {
  const [edited, setEdited] = useState<string | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const isEditing = edited !== null && onEdit !== undefined;
  useEffect(() => {
    if (isEditing) field.current?.focus();
  }, [isEditing]);
  const send = (event: Event): void => {
    event.preventDefault();
    if (edited === null || edited.trim() === '') return;
    setEdited(null);
    onEdit?.(edited.trim());
  };
  if (isEditing) {
    return (
      <form class="turn-edit" onSubmit={send}>
        <textarea
          ref={field}
          rows={2}
          aria-label="Edit the question"
          value={edited}
          onInput={(event) => {
            setEdited(event.currentTarget.value);
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) send(event);
            if (event.key === 'Escape') setEdited(null);
          }}
        />
        <div class="row spread">
          <span class="small muted">This replaces all later messages.</span>
          <span class="row">
            <button
              type="button"
              onClick={() => {
                setEdited(null);
              }}
            >
              Cancel
            </button>
            <button type="submit" class="primary" disabled={edited.trim() === ''}>
              Ask again
            </button>
          </span>
        </div>
      </form>
    );
  }
  return (
    <div class="question-turn">
      {onEdit !== undefined && (
        <button
          type="button"
          class="icon-button"
          aria-label={`Edit the question: ${text}`}
          title="Edit the question"
          onClick={() => {
            setEdited(text);
          }}
        >
          <Icon name="edit" />
        </button>
      )}
      <div class="turn user">{text}</div>
    </div>
  );
}

interface AnswerTurnProps {
  readonly turn: Turn;
  readonly question: string;
  readonly chat: string;
  readonly index: number;
  /** Unset: this is not the last answer, or the chat belongs to another person. */
  readonly onRetry?: () => void;
  readonly canRate: boolean;
  readonly onFeedback: (feedback: Rating | null) => void;
}

/** An answer with its sources and the actions of a reader: copy, try again, rate. */
export function AnswerTurn(props: AnswerTurnProps): JSX.Element {
  const { turn, question, chat, index, onRetry, canRate, onFeedback } = props;
  const { text, answer, ending, feedback } = turn;
  const { thumbs, words } = useFeedback({ chat, index, given: feedback, onGiven: onFeedback });
  const end = answer?.end ?? null;
  return (
    <div class="turn assistant answer">
      {answer?.failure !== undefined && <ModelFailure failure={answer.failure} end={end} />}
      <AnswerText answer={answer ?? { text, end: null }} />
      {text === '' && ending === null && <p class="muted">The language model returned an empty answer.</p>}
      {ending !== null && <EarlyEndNotice ending={ending} isEmpty={text === ''} />}
      {end !== null && <Ending end={end} question={question} />}
      <div class="turn-actions">
        {text !== '' && <CopyButton text={text} label="Copy the answer" />}
        {onRetry !== undefined && (
          <button type="button" class="small-button" onClick={onRetry}>
            Try again
          </button>
        )}
        {canRate && thumbs}
      </div>
      {canRate && words}
    </div>
  );
}

interface AnswerBeingWrittenProps {
  readonly answer: Answer;
  /** Number of documents that are searched; null: not known. */
  readonly documents: number | null;
}

export function AnswerBeingWritten({ answer, documents }: AnswerBeingWrittenProps): JSX.Element {
  return (
    <div class="turn assistant answer" aria-live="polite" aria-busy>
      {answer.text === '' ? (
        <Steps documents={documents} sources={answer.sources} />
      ) : (
        <>
          <AnswerText answer={answer} />
          <span class="caret" aria-hidden="true" />
          <Silence last={answer.text}>
            Waiting for the rest from the language model. “Stop” keeps what is here.
          </Silence>
        </>
      )}
    </div>
  );
}

function ModelFailure({
  failure,
  end,
}: {
  readonly failure: string;
  readonly end: Answer['end'];
}): JSX.Element {
  return (
    <p class="notice hint small">
      {failure.replace(/\.$/, '')}. The language model did not answer.{' '}
      {end?.isAnswered === false ? '' : 'These passages are the closest.'}
    </p>
  );
}

function EarlyEndNotice({
  ending,
  isEmpty,
}: {
  readonly ending: EarlyEnd;
  readonly isEmpty: boolean;
}): JSX.Element {
  if (ending === 'stopped') {
    return <p class="small muted">This answer was stopped here. The chat keeps the text.</p>;
  }
  if (isEmpty) {
    return (
      <p class="notice hint small">
        {ending === 'interrupted'
          ? 'The answer was interrupted before its first word.'
          : 'There is no answer.'}{' '}
        “Try again” sends the question again.
      </p>
    );
  }
  return (
    <p class={`notice ${ending === 'broken' ? 'bad' : 'hint'} small`} role="alert">
      The answer {ending === 'broken' ? 'broke off' : 'was interrupted'} here. “Try again” asks for a complete
      answer.
    </p>
  );
}

function Ending({
  end,
  question,
}: {
  readonly end: NonNullable<Answer['end']>;
  readonly question: string;
}): JSX.Element {
  const { sources, model, isCut, processing = 0 } = end;
  return (
    <>
      {processing > 0 && (
        <p class="notice hint small">
          {counted(processing, 'document')} {processing === 1 ? 'is' : 'are'} still being processed and{' '}
          {processing === 1 ? 'was' : 'were'} not searched.
        </p>
      )}
      {end.isAnswered !== false && <Sources sources={sources} question={question} />}
      {(model === 'extractive' || isCut === true) && (
        <p class="small muted">
          {model === 'extractive' && 'The best passages, quoted without a language model.'}
          {isCut === true && ' The answer was truncated at its maximum length.'}
        </p>
      )}
    </>
  );
}
