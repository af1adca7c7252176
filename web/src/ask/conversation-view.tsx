import { useEffect, useRef, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { Chat, QueryRequest } from '../api/lectern.js';
import { useLoaded } from '../app/calls.js';
import { useKept } from '../app/kept.js';
import { goTo, hrefOf } from '../app/router.js';
import { useSession } from '../app/session.js';
import { ChatDialog } from '../chats/chat-dialog.js';
import { ChatLinks } from '../chats/chat-links.js';
import { useChatList } from '../chats/chat-list.js';
import { chatRequests } from '../chats/describe.js';
import { Busy, EmptyState, ErrorNotice, Skeleton } from '../design/notices.js';
import { RequestCode } from '../requests/request-code.js';
import { OptionsRefused, SearchControls } from '../search/search-controls.js';
import { refusesImage, sorted } from '../search/problems.js';
import { QuestionInput } from '../search/question-input.js';
import {
  EMPTY_FORM,
  formOf,
  hindranceOf,
  retrievalOf,
  type QuestionImage,
  type RetrievalForm,
} from '../search/retrieval-form.js';
import { AnswerText } from './answer-text.js';
import { queryRequest } from './answer.js';
import { Start } from './start.js';
import { Steps } from './steps.js';
import { AnswerTurn, QuestionTurn } from './turn-view.js';
import { useConversation } from './use-conversation.js';

const NO_IMAGES =
  'The language model in use does not read images. To find pages by an image, drop it on the field of Search.';

interface ConversationViewProps {
  readonly id: string;
  /** Whether the URL names no chat yet. */
  readonly isNew: boolean;
  /** null: the service has not stored it, or it is older than the list. */
  readonly chat: Chat | null;
  /** Whose chat the URL names; null: not said. */
  readonly person: string | null;
}

export function ConversationView({ id, isNew, chat, person }: ConversationViewProps): JSX.Element {
  const { client, holder } = useSession();
  const { chats, reload } = useChatList();
  const owner = chat?.end_user_id ?? person;
  // An administrator can read the chats of others, but not continue them.
  const isForeign = owner !== null && owner !== holder.person;
  const [kept, setForm] = useKept<RetrievalForm | null>(`chat ${id} form`, null);
  const form = kept ?? (chat === null ? EMPTY_FORM : formOf(chat.search));
  const [text, setText] = useKept(`chat ${id} text`, '');
  const [image, setImage] = useKept<QuestionImage | null>(`chat ${id} image`, null);
  // A chat that begins in this view is stored with its first answer.
  const [beganHere] = useState(isNew);
  const talk = useConversation({
    id,
    owner,
    isKnown: chat !== null || !beganHere,
    isListed: chats !== null,
    onStored: reload,
  });
  const { turns, asked, answer, running } = talk;
  const { folder } = form;
  const ready = useLoaded(
    async (signal) => {
      const scope = folder === '' ? {} : { folder_name: [folder], folder_depth: -1 };
      const page = { limit: 1, include_total_count: true, completed_only: true, fields: ['filename'] };
      return (await client.listing({ ...page, ...scope, signal })).total_count ?? null;
    },
    [folder, turns.length === 0],
  );
  const readsImages = useLoaded(async (signal) => {
    const { chat_models: models, default_models: defaults } = await client.models({ signal });
    return models.some(({ id: model, vision }) => model === defaults.chat && vision);
  }, []);
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (turns.length > 0 || asked !== null) end.current?.scrollIntoView({ block: 'nearest' });
  }, [turns, answer.text, asked]);
  const [focus, setFocus] = useState(id);

  const requestFor = (question: string, picture: QuestionImage | null): QueryRequest =>
    retrievalOf(form, question, picture);
  const ask = async (question: string, picture: QuestionImage | null = null, at?: number): Promise<void> => {
    if (isNew) goTo(hrefOf('ask', id));
    const isAnswered = await talk.ask(picture?.name ?? question, requestFor(question, picture), at);
    if (!isAnswered && at === undefined && picture === null) {
      setText((typed) => (typed === '' ? question : typed));
    }
    if (isAnswered && picture !== null) setImage(null);
  };
  const send = (): void => {
    const question = text.trim();
    if (image === null) setText('');
    void ask(question, image);
  };
  const { placed, rest } = sorted(talk.error);
  const hindrance = hindranceOf(form);
  const isEmpty = turns.length === 0 && asked === null && !talk.isGone;
  const isStart = isEmpty && isNew;
  const lastQuestion = turns.length - 2;
  const isReady = (text.trim() !== '' || image !== null) && hindrance === null;
  const request = { ...requestFor(text.trim(), image), chat_id: id, inline_citations: true };
  const composer = (
    <div class="composer">
      <QuestionInput
        label="Your question"
        placeholder={isStart ? 'Ask a question about your documents' : 'Ask a follow-up question'}
        text={text}
        onText={setText}
        image={image}
        onImage={setImage}
        imageHindrance={readsImages.value === true ? null : NO_IMAGES}
        hindrance={hindrance}
        action="Ask"
        running={running}
        onSend={send}
        onStop={() => {
          setFocus(`${id} ${Date.now()}`); // the button is disabled without a text
          talk.stop();
        }}
        focus={focus}
      />
      <SearchControls form={form} onChange={setForm} problems={placed} byImage={image !== null} />
    </div>
  );
  const problems = (
    <>
      <ErrorNotice error={rest} />
      {refusesImage(rest) && (
        <p class="muted">
          To find pages by an image, use <a href={hrefOf('search')}>Search</a>; this works with any language
          model.
        </p>
      )}
      {placed.length > 0 && <OptionsRefused />}
    </>
  );
  if (isStart) {
    return (
      <section aria-label="Ask" class="start">
        <h1>What do you want to know?</h1>
        {composer}
        {problems}
        <Start
          folder={folder}
          documents={ready.value}
          onAsk={(question) => {
            void ask(question);
          }}
          onLoaded={ready.reload}
        />
        <div class="start-chats">
          <ChatLinks current={null} />
        </div>
        <RequestCode
          title="This question"
          requests={isReady ? [queryRequest(request)] : chatRequests(null)}
        />
      </section>
    );
  }
  return (
    <section aria-label="Conversation" class="conversation">
      <div class="conversation-head">
        <h1>{chat?.title ?? asked?.question ?? turns[0]?.text ?? 'Chat'}</h1>
        {chat !== null && (
          <ChatDialog
            chat={chat}
            onChange={reload}
            onRemoved={() => {
              goTo(hrefOf('ask'));
            }}
          />
        )}
        <RequestCode
          title="This chat"
          requests={[...(isReady ? [queryRequest(request)] : []), ...chatRequests(id)]}
        />
      </div>
      <div class="turns">
        {talk.isGone && (
          <EmptyState title="There is no such chat">
            It was deleted, or it belongs to somebody else. <a href={hrefOf('ask')}>Start another one.</a>
          </EmptyState>
        )}
        {talk.isLoading && isEmpty && (
          <>
            <Busy>Loading the conversation…</Busy>
            <Skeleton />
          </>
        )}
        <ErrorNotice error={talk.loadError} onRetry={talk.reload} />
        {turns.map((turn, index) =>
          turn.role === 'user' ? (
            <QuestionTurn
              key={index}
              text={turn.text}
              {...(!isForeign && !running && { onEdit: (edited: string) => void ask(edited, null, index) })}
            />
          ) : (
            <AnswerTurn
              key={index}
              turn={turn}
              question={turns[index - 1]?.text ?? ''}
              chat={id}
              index={turn.answer?.end?.index ?? index}
              canRate={!isForeign && !turn.isStopped}
              onFeedback={(feedback) => {
                talk.onFeedback(index, feedback);
              }}
              {...(!isForeign &&
                !running &&
                index === lastQuestion + 1 && {
                  onRetry: () => {
                    setFocus(`${id} ${Date.now()}`);
                    void ask(turns[lastQuestion]?.text ?? '', null, lastQuestion);
                  },
                })}
            />
          ),
        )}
        {asked !== null && (
          <>
            <QuestionTurn text={asked.question} />
            <div class="turn assistant answer" aria-live="polite" aria-busy={running}>
              {answer.text === '' ? (
                <Steps documents={ready.value} sources={talk.sources} />
              ) : (
                <>
                  <AnswerText answer={answer} />
                  <span class="caret" aria-hidden="true" />
                </>
              )}
            </div>
          </>
        )}
        {problems}
        <div ref={end} />
      </div>
      {isForeign ? (
        <p class="composer small muted">
          This chat belongs to {owner}. You can read it, and not continue it.
        </p>
      ) : (
        !talk.isGone && composer
      )}
    </section>
  );
}
