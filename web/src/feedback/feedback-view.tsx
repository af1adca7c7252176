import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { Feedback, Rating } from '../api/lectern.js';
import { AdminOnly } from '../app/admin-only.js';
import { useCall, useLoaded } from '../app/calls.js';
import { useKept } from '../app/kept.js';
import { hrefOf } from '../app/router.js';
import { useSession } from '../app/session.js';
import { downloadText } from '../design/download.js';
import { Busy, EmptyState, ErrorNotice } from '../design/notices.js';
import { moment } from '../documents/record.js';
import { PersonName } from '../names/named.js';
import { RequestCode } from '../requests/request-code.js';
import { feedbackRequests } from './describe.js';
import { rich, t } from '../language/translate.js';

/** Number of entries that are shown at first and added by each "Show more". */
const STEP = 50;

type Shown = Rating['rating'] | 'all';

/** Said when there is no such feedback. */
const NONE = { all: 'feedback.none', good: 'feedback.noneGood', bad: 'feedback.noneBad' } as const;

/** For administrators: what readers think of the answers. */
export function FeedbackView(): JSX.Element {
  return (
    <AdminOnly heading={t('view.feedback')} refusal={t('app.onlyFeedback')}>
      <FeedbackList />
    </AdminOnly>
  );
}

function FeedbackList(): JSX.Element {
  const { client, holder } = useSession();
  const [shown, setShown] = useKept<Shown>('feedback.shown', 'all');
  const [count, setCount] = useState(STEP);
  const rating = shown === 'all' ? null : shown;
  const given = useLoaded(
    async (signal) => {
      const restriction = rating === null ? {} : { rating };
      // One extra entry shows whether more entries follow.
      const found = await client.chats.feedback({ ...restriction, limit: count + 1, signal });
      return { rating, entries: found.slice(0, count), hasMore: found.length > count };
    },
    [rating, count],
  );
  const list = given.value?.rating === rating ? given.value : null;
  return (
    <>
      <h1>{t('view.feedback')}</h1>
      <p class="muted lead">
        {holder.person === null ? t('feedback.lead') : t('feedback.leadOwn')}{' '}
        {rich('feedback.export', { a: (parts) => <a href={hrefOf('evaluation')}>{parts}</a> })}
      </p>
      <div class="row spread feedback-bar">
        <label>
          {t('feedback.show')}
          <select
            value={shown}
            onChange={(event) => {
              setShown(event.currentTarget.value as Shown);
              setCount(STEP);
            }}
          >
            <option value="all">{t('feedback.all')}</option>
            <option value="good">{t('feedback.good')}</option>
            <option value="bad">{t('feedback.bad')}</option>
          </select>
        </label>
        <Export />
      </div>
      <section aria-label={t('view.feedback')} class="card flush" aria-busy={given.running}>
        <ErrorNotice error={given.error} onRetry={given.reload} />
        {list === null && given.error === null && <Busy>{t('feedback.loading')}</Busy>}
        {list?.entries.length === 0 && (
          <EmptyState title={t(NONE[shown])}>{t('feedback.noneHint')}</EmptyState>
        )}
        {list !== null && list.entries.length > 0 && (
          <ol class="plain feedback-list">
            {list.entries.map((entry) => (
              <Entry key={`${entry.chat_id} ${entry.end_user_id ?? ''} ${entry.rated_at}`} entry={entry} />
            ))}
          </ol>
        )}
        {list?.hasMore === true && (
          <div class="feedback-more">
            <button
              type="button"
              disabled={given.running}
              onClick={() => {
                setCount(count + STEP);
              }}
            >
              {t('action.showMore')}
            </button>
          </div>
        )}
      </section>
      <RequestCode title={t('view.feedback')} requests={feedbackRequests(rating)} />
    </>
  );
}

function Entry({ entry }: { readonly entry: Feedback }): JSX.Element {
  const { chat_id: chat, end_user_id: person, rating, comment, question, answer, rated_at: when } = entry;
  return (
    <li>
      <div class="row spread">
        <h2>
          <bdi>{question}</bdi>
        </h2>
        <span class={`badge ${rating === 'good' ? 'completed' : 'failed'}`}>
          {rating === 'good' ? t('rate.good') : t('rate.bad')}
        </span>
      </div>
      {comment !== null && (
        <p class="feedback-words-given" dir="auto">
          {comment}
        </p>
      )}
      <details class="feedback-answer">
        <summary>{t('feedback.answer')}</summary>
        <div tabIndex={0} role="group" aria-label={t('feedback.answer')} dir="auto">
          {answer}
        </div>
      </details>
      <p class="small muted">
        {person !== null && (
          <>
            <PersonName id={person} /> ·{' '}
          </>
        )}
        {moment(when)} · <a href={hrefOf('ask', chat, { person })}>{t('feedback.openChat')}</a>
      </p>
    </li>
  );
}

/** Saves the questions with good answers as a file. */
function Export(): JSX.Element {
  const { client } = useSession();
  const questions = useCall(async (signal) => {
    const lines = await client.chats.feedbackQuestions({ signal });
    if (lines !== '') downloadText('questions.jsonl', 'application/x-ndjson', lines);
    return lines.split('\n').length - 1;
  });
  return (
    <div class="row">
      <span class="small muted" role="status">
        {questions.value === 0 && t('feedback.nothingToExport')}
      </span>
      <ErrorNotice error={questions.error} />
      <button type="button" disabled={questions.running} onClick={() => void questions.run()}>
        {t('feedback.exportAction')}
      </button>
    </div>
  );
}
