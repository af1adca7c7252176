import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { Feedback, Rating } from '../api/lectern.js';
import { AdminOnly } from '../app/admin-only.js';
import { useCall, useLoaded } from '../app/calls.js';
import { useKept } from '../app/kept.js';
import { hrefOf } from '../app/router.js';
import { useSession } from '../app/session.js';
import { download } from '../design/download.js';
import { Busy, EmptyState, ErrorNotice } from '../design/notices.js';
import { moment } from '../documents/record.js';
import { RequestCode } from '../requests/request-code.js';
import { feedbackRequests } from './describe.js';

/** Number of entries that are shown at first and added by each "Show more". */
const STEP = 50;

type Shown = Rating['rating'] | 'all';

/** For administrators: what readers think of the answers. */
export function FeedbackView(): JSX.Element {
  return (
    <AdminOnly heading="Feedback" subject="the feedback">
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
      <h1>Feedback</h1>
      <p class="muted lead">
        {holder.person === null
          ? 'Ratings of answers by readers.'
          : 'Your ratings. An admin key without a person shows the ratings of all readers.'}{' '}
        Export the questions with good answers for a <a href={hrefOf('evaluation')}>quality check</a> before
        you change settings or documents.
      </p>
      <div class="row spread feedback-bar">
        <label>
          Show
          <select
            value={shown}
            onChange={(event) => {
              setShown(event.currentTarget.value as Shown);
              setCount(STEP);
            }}
          >
            <option value="all">all answers</option>
            <option value="good">good answers</option>
            <option value="bad">bad answers</option>
          </select>
        </label>
        <Export />
      </div>
      <section aria-label="Feedback" class="card flush" aria-busy={given.running}>
        <ErrorNotice error={given.error} onRetry={given.reload} />
        {list === null && given.error === null && <Busy>Loading feedback…</Busy>}
        {list?.entries.length === 0 && (
          <EmptyState title={rating === null ? 'No feedback yet' : `No answer was rated as ${rating}`}>
            Readers rate an answer with the thumbs below it.
          </EmptyState>
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
              Show more
            </button>
          </div>
        )}
      </section>
      <RequestCode title="Feedback" requests={feedbackRequests(rating)} />
    </>
  );
}

function Entry({ entry }: { readonly entry: Feedback }): JSX.Element {
  const { chat_id: chat, end_user_id: person, rating, comment, question, answer, rated_at: when } = entry;
  return (
    <li>
      <div class="row spread">
        <h2>{question}</h2>
        <span class={`badge ${rating === 'good' ? 'completed' : 'failed'}`}>
          {rating === 'good' ? 'Good answer' : 'Bad answer'}
        </span>
      </div>
      {comment !== null && <p class="feedback-words-given">{comment}</p>}
      <details class="feedback-answer">
        <summary>The answer</summary>
        <div tabIndex={0} role="group" aria-label="The answer">
          {answer}
        </div>
      </details>
      <p class="small muted">
        {person === null ? '' : `${person} · `}
        {moment(when)} · <a href={hrefOf('ask', chat, { person })}>Open the chat</a>
      </p>
    </li>
  );
}

/** Saves the questions with good answers as a file. */
function Export(): JSX.Element {
  const { client } = useSession();
  const questions = useCall(async (signal) => {
    const lines = await client.chats.feedbackQuestions({ signal });
    if (lines !== '') download('questions.jsonl', 'application/x-ndjson', lines);
    return lines.split('\n').length - 1;
  });
  return (
    <div class="row">
      <span class="small muted" role="status">
        {questions.value === 0 && 'Nothing to export: no answer rated good has a citation yet.'}
      </span>
      <ErrorNotice error={questions.error} />
      <button type="button" disabled={questions.running} onClick={() => void questions.run()}>
        Export for lectern eval
      </button>
    </div>
  );
}
