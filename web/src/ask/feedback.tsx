import { useEffect, useRef, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { Rating } from '../api/lectern.js';
import { useCall } from '../app/calls.js';
import { useSession } from '../app/session.js';
import { Icon } from '../design/icon.js';
import { ErrorNotice } from '../design/notices.js';
import { t } from '../language/translate.js';

interface FeedbackProps {
  readonly chat: string;
  /** Index of the answer in the chat. */
  readonly index: number;
  readonly given: Rating | null;
  readonly onGiven: (feedback: Rating | null) => void;
}

/** The rating of an answer: a thumb up or down, and a short text. */
export function useFeedback({ chat, index, given, onGiven }: FeedbackProps): {
  readonly thumbs: JSX.Element;
  readonly words: JSX.Element | null;
} {
  const { client } = useSession();
  const [isOpen, setIsOpen] = useState(false);
  const [comment, setComment] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const put = useCall(async (signal, rating: Rating | null) => {
    if (rating === null) await client.chats.unrate(chat, index, { signal });
    else await client.chats.rate(chat, index, rating, { signal });
    return { rating };
  });
  useEffect(() => {
    if (isOpen) field.current?.focus();
  }, [isOpen]);
  const choose = async (rating: Rating['rating']): Promise<void> => {
    const next = given?.rating === rating ? null : { rating };
    const done = await put.run(next);
    if (done === null) return;
    onGiven(next);
    setComment('');
    setIsOpen(next !== null);
  };
  const say = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (given === null) return;
    const next = { rating: given.rating, comment: comment.trim() === '' ? null : comment.trim() };
    if ((await put.run(next)) === null) return;
    onGiven(next);
    setIsOpen(false);
  };
  const thumb = (rating: Rating['rating'], label: string): JSX.Element => (
    <button
      type="button"
      class="icon-button"
      aria-label={label}
      title={label}
      aria-pressed={given?.rating === rating}
      onClick={() => void choose(rating)}
    >
      <Icon name={rating === 'good' ? 'thumbUp' : 'thumbDown'} />
    </button>
  );
  const thumbs = (
    <>
      {thumb('good', t('rate.good'))}
      {thumb('bad', t('rate.bad'))}
      {!isOpen && given !== null && (
        <span class="small muted" role="status">
          {t('rate.thanks')}
        </span>
      )}
    </>
  );
  const form = (
    <form class="feedback-words" onSubmit={(event) => void say(event)}>
      <label>
        {given?.rating === 'bad' ? t('rate.whatIsWrong') : t('rate.whatIsGood')}
        <input
          ref={field}
          type="text"
          maxLength={2_000}
          placeholder={t('rate.fewWords')}
          value={comment}
          onInput={(event) => {
            setComment(event.currentTarget.value);
          }}
        />
      </label>
      <button type="submit">{comment.trim() === '' ? t('action.close') : t('action.send')}</button>
    </form>
  );
  return {
    thumbs,
    words: (
      <>
        {isOpen && given !== null && form}
        <ErrorNotice error={put.error} />
      </>
    ),
  };
}
