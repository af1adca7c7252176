import type { JSX } from 'preact';
import type { SharedChat } from '../api/lectern.js';
import { useLoaded } from '../app/calls.js';
import { usePageTitle } from '../app/page-title.js';
import { useSession } from '../app/session.js';
import { Busy, EmptyState, ErrorNotice, isGone, Skeleton } from '../design/notices.js';
import { usePersonName } from '../names/named.js';
import { WithSource } from '../source/source-pane.js';
import { t } from '../language/translate.js';
import { DraftFor } from './draft.js';
import { Sources } from './sources.js';
import { AnswerTurn, QuestionTurn } from './turn-view.js';
import { turnsOf } from './turn.js';

/** A chat that a colleague shares by a link. It can be read only. */
export function SharedChatView({ id }: { readonly id: string }): JSX.Element {
  const { client } = useSession();
  const { value: chat, error, reload } = useLoaded((signal) => client.chats.shared(id, { signal }), [id]);
  usePageTitle(chat?.title ?? null);
  return (
    <WithSource>
      <section aria-label={t('view.shared')} class="conversation">
        {chat !== null && <Turns chat={chat} />}
        {chat === null && error === null && (
          <>
            <Busy>{t('ask.loading')}</Busy>
            <Skeleton />
          </>
        )}
        {isGone(error) ? (
          <EmptyState title={t('shared.gone')}>{t('shared.goneWhy')}</EmptyState>
        ) : (
          <ErrorNotice error={error} onRetry={reload} />
        )}
      </section>
    </WithSource>
  );
}

function Turns({ chat }: { readonly chat: SharedChat }): JSX.Element {
  const { title, end_user_id: owner, messages } = chat;
  const person = usePersonName(owner);
  const turns = turnsOf(messages, []);
  const questions = turns.filter(({ role }) => role === 'user');
  return (
    <>
      <div class="conversation-head">
        <h1>
          <bdi>{title}</bdi>
        </h1>
      </div>
      <p class="notice hint small">{person === null ? t('shared.ofSomebody') : t('shared.of', { person })}</p>
      <div class="turns">
        {turns.map((turn, place) => {
          const { withheld, sources = [] } = messages[place] ?? {};
          const question = turns[place - 1]?.text ?? '';
          if (turn.role === 'user') return <QuestionTurn key={place} text={turn.text} />;
          if (withheld === true) return <Withheld key={place} sources={sources} question={question} />;
          return (
            <AnswerTurn
              key={place}
              turn={turn}
              question={question}
              chat=""
              index={place}
              canRate={false}
              onFeedback={() => undefined}
            />
          );
        })}
      </div>
      <DraftFor question={questions.at(-1)?.text ?? ''} search={{}} />
    </>
  );
}

interface WithheldProps {
  /** Sources of the answer that the reader may read. */
  readonly sources: NonNullable<SharedChat['messages'][number]['sources']>;
  readonly question: string;
}

function Withheld({ sources, question }: WithheldProps): JSX.Element {
  return (
    <div class="turn assistant answer">
      <p class="notice hint small">{t('shared.withheld')}</p>
      {sources.length > 0 && <Sources sources={sources} question={question} scope={undefined} />}
    </div>
  );
}
