import { useEffect, useRef, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { Rating } from '../api/lectern.js';
import { CopyButton } from '../design/copy-button.js';
import { Icon } from '../design/icon.js';

import { AnswerText } from './answer-text.js';
import type { Answer } from './answer.js';
import { useFeedback } from './feedback.js';
import { Silence } from './silence.js';
import { Sources, type NextScope } from './sources.js';
import { Steps } from './steps.js';
import type { EarlyEnd, Turn } from './turn.js';
import { VersionSwitch, type VersionSwitchProps } from './versions.js';
import { t } from '../language/translate.js';

interface QuestionTurnProps {
  readonly text: string;
  /** Unset: the question cannot be edited now. */
  readonly onEdit?: (text: string) => void;
  /** Unset: the question has one version. */
  readonly version?: VersionSwitchProps;
}

/** A question of the reader, which they may edit. */
export function QuestionTurn({ text, onEdit, version }: QuestionTurnProps): JSX.Element {
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
          dir="auto"
          aria-label={t('ask.editQuestion')}
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
          <span class="small muted">{t('ask.editReplaces')}</span>
          <span class="row">
            <button
              type="button"
              onClick={() => {
                setEdited(null);
              }}
            >
              {t('action.cancel')}
            </button>
            <button type="submit" class="primary" disabled={edited.trim() === ''}>
              {t('ask.askAgain')}
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
          aria-label={t('ask.editThis', { question: text })}
          title={t('ask.editQuestion')}
          onClick={() => {
            setEdited(text);
          }}
        >
          <Icon name="edit" />
        </button>
      )}
      <div class="turn user" dir="auto">
        {text}
      </div>
      {version !== undefined && <VersionSwitch {...version} />}
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
  /** Unset: the reader cannot ask here. */
  readonly scope?: NextScope;
  readonly onFeedback: (feedback: Rating | null) => void;
}

/** An answer with its sources and the actions of a reader: copy, try again, rate. */
export function AnswerTurn(props: AnswerTurnProps): JSX.Element {
  const { turn, question, chat, index, onRetry, canRate, scope, onFeedback } = props;
  const { text, answer, ending, feedback } = turn;
  const { thumbs, words } = useFeedback({ chat, index, given: feedback, onGiven: onFeedback });
  const end = answer?.end ?? null;
  // The sentence that nothing was found would be an answer, and nobody answered.
  const nobodyAnswered = end?.failure !== undefined && end.isAnswered === false;
  return (
    <div class="turn assistant answer">
      {end?.failure !== undefined && <ModelFailure failure={end.failure} isAnswered={!nobodyAnswered} />}
      {!nobodyAnswered && <AnswerText answer={answer ?? { text, end: null }} />}
      {text === '' && ending === null && <p class="muted">{t('ask.emptyAnswer')}</p>}
      {ending !== null && <EarlyEndNotice ending={ending} isEmpty={text === ''} />}
      {end !== null && <Ending end={end} question={question} scope={scope} />}
      <div class="turn-actions">
        {text !== '' && !nobodyAnswered && <CopyButton text={text} label={t('ask.copyAnswer')} />}
        {onRetry !== undefined && (
          <button type="button" class="small-button" onClick={onRetry}>
            {t('action.retry')}
          </button>
        )}
        {canRate && !nobodyAnswered && thumbs}
      </div>
      {canRate && !nobodyAnswered && words}
    </div>
  );
}

interface AnswerBeingWrittenProps {
  readonly answer: Answer;
  /** Number of documents that are searched; null: not known. */
  readonly documents: number | null;
  /** Whether the connection is lost, and the page tries to get another one. */
  readonly isDisconnected: boolean;
}

export function AnswerBeingWritten({
  answer,
  documents,
  isDisconnected,
}: AnswerBeingWrittenProps): JSX.Element {
  return (
    <div class="turn assistant answer" aria-live="polite" aria-busy>
      {answer.text === '' ? (
        <Steps documents={documents} sources={answer.sources} />
      ) : (
        <>
          <AnswerText answer={answer} />
          <span class="caret" aria-hidden="true" />
          {!isDisconnected && <Silence last={answer.text}>{t('ask.noMoreYet')}</Silence>}
        </>
      )}
      {isDisconnected && (
        <p class="notice hint small" role="status">
          {t('ask.reconnecting')}
        </p>
      )}
    </div>
  );
}

function ModelFailure({
  failure,
  isAnswered,
}: {
  readonly failure: string;
  readonly isAnswered: boolean;
}): JSX.Element {
  return (
    <p class={`notice ${isAnswered ? 'hint' : 'bad'} small`}>
      {t('ask.modelFailed', { failure: failure.replace(/\.$/, '') })} {isAnswered && t('ask.closest')}
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
    return <p class="small muted">{t('ask.stoppedHere')}</p>;
  }
  if (isEmpty) {
    return (
      <p class="notice hint small">
        {ending === 'interrupted' ? t('ask.interruptedBefore') : t('ask.noAnswer')}
      </p>
    );
  }
  return (
    <p class={`notice ${ending === 'broken' ? 'bad' : 'hint'} small`} role="alert">
      {ending === 'broken' ? t('ask.brokeOff') : t('ask.interrupted')}
    </p>
  );
}

function Ending({
  end,
  question,
  scope,
}: {
  readonly end: NonNullable<Answer['end']>;
  readonly question: string;
  readonly scope: NextScope | undefined;
}): JSX.Element {
  const { sources, model, isCut, processing = 0 } = end;
  const isQuoted = model === 'extractive' && end.isAnswered !== false;
  return (
    <>
      {processing > 0 && <p class="notice hint small">{t('ask.processing', { count: processing })}</p>}
      {end.isAnswered !== false && <Sources sources={sources} question={question} scope={scope} />}
      {(isQuoted || isCut === true) && (
        <p class="small muted">
          {isQuoted && t('ask.extractive')} {isCut === true && t('ask.truncated')}
        </p>
      )}
    </>
  );
}
