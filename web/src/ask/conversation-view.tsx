import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { Chat, QueryRequest } from '../api/lectern.js';
import { useLoaded } from '../app/calls.js';
import { useKept } from '../app/kept.js';
import { usePageTitle } from '../app/page-title.js';
import { goTo, hrefOf } from '../app/router.js';
import { useSession } from '../app/session.js';
import { ChatDialog } from '../chats/chat-dialog.js';
import { ChatLinks } from '../chats/chat-links.js';
import { useChatList } from '../chats/chat-list.js';
import { chatRequests } from '../chats/describe.js';
import { nameOf, type ChatOwner } from '../chats/owner.js';
import { Icon } from '../design/icon.js';
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
import { queryRequest } from './answer.js';
import { DraftFor } from './draft.js';
import { Start } from './start.js';
import { AnswerBeingWritten, AnswerTurn, QuestionTurn } from './turn-view.js';
import { useConversation } from './use-conversation.js';
import { useFollowing } from './use-following.js';

const NO_IMAGES =
  'The language model in use does not read images. To find pages by an image, drop it on the field of Search.';

interface ConversationViewProps {
  readonly id: string;
  /** Whether the chat is new, so that the URL does not contain its id yet. */
  readonly isNew: boolean;
  /** The chat as the list shows it. null: it is not stored yet, or too old for the list. */
  readonly chat: Chat | null;
  readonly owner: ChatOwner;
}

export function ConversationView({ id, isNew, chat, owner }: ConversationViewProps): JSX.Element {
  const { reload } = useChatList();
  const [kept, setForm] = useKept<RetrievalForm | null>(`chat ${id} form`, null);
  const form = kept ?? (chat === null ? EMPTY_FORM : formOf(chat.search));
  const [text, setText] = useKept(`chat ${id} text`, '');
  const [image, setImage] = useKept<QuestionImage | null>(`chat ${id} image`, null);
  const talk = useConversation(id, owner, isNew);
  const { conversation, shown, open, isWriting, isForeign } = talk;
  const { folder } = form;
  const isUntouched = shown.length === 0 && !isWriting;
  const ready = useReadyDocuments(folder, isUntouched);
  const model = useModel();
  const { hasMore, toEnd } = useFollowing({ turns: talk.turns, isWriting, hasTurns: !isUntouched });
  const [focus, setFocus] = useState(id);
  const title = chat?.title ?? shown[0]?.text ?? open?.question ?? null;
  usePageTitle(isNew ? null : title);

  const requestFor = (question: string, picture: QuestionImage | null): QueryRequest =>
    retrievalOf(form, question, picture);
  const ask = async (question: string, picture: QuestionImage | null = null, at?: number): Promise<void> => {
    if (isNew) goTo(hrefOf('ask', id));
    toEnd();
    const outcome = await conversation.ask({
      text: picture?.name ?? question,
      request: requestFor(question, picture),
      at,
      hasModel: model?.isConfigured !== false,
      onStored: reload,
    });
    if (outcome === 'none' && at === undefined && picture === null) {
      setText((typed) => (typed === '' ? question : typed));
    }
    if (outcome === 'whole' && picture !== null) setImage(null);
  };
  const send = (): void => {
    const question = text.trim();
    if (image === null) setText('');
    void ask(question, image);
  };
  const { placed, rest } = sorted(talk.error);
  const hindrance = hindranceOf(form);
  const isEmpty = isUntouched && !talk.isGone;
  const isStart = isEmpty && isNew;
  const lastQuestion = shown.length - 2;
  const isReady = (text.trim() !== '' || image !== null) && hindrance === null;
  const request = { ...requestFor(text.trim(), image), chat_id: id, inline_citations: true };
  const composer = (
    <div class="composer">
      {hasMore && !isStart && (
        <button type="button" class="to-end" aria-label="Go to the end" title="Go to the end" onClick={toEnd}>
          <Icon name="down" />
        </button>
      )}
      <QuestionInput
        label="Your question"
        placeholder={isStart ? 'Ask a question about your documents' : 'Ask a follow-up question'}
        text={text}
        onText={setText}
        image={image}
        onImage={setImage}
        imageHindrance={model?.readsImages === true ? null : NO_IMAGES}
        hindrance={hindrance}
        action="Ask"
        running={isWriting}
        onSend={send}
        onStop={() => {
          setFocus(`${id} ${Date.now()}`); // the button will be disabled and lose the focus
          conversation.stop();
        }}
        focus={focus}
      />
      <SearchControls
        form={form}
        onChange={setForm}
        problems={placed}
        byImage={image !== null}
        passages={4}
      />
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
        <h1>{title ?? 'Chat'}</h1>
        {chat !== null && (
          <ChatDialog
            chat={chat}
            owner={owner}
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
      {isForeign && <p class="notice hint small">This is a chat of {nameOf(owner)}.</p>}
      <div class="turns">
        {talk.isGone && (
          <EmptyState title="This chat does not exist">
            It was deleted or belongs to somebody else. <a href={hrefOf('ask')}>Start another one.</a>
          </EmptyState>
        )}
        {talk.isLoading && isEmpty && (
          <>
            <Busy>Loading the conversation…</Busy>
            <Skeleton />
          </>
        )}
        <ErrorNotice error={talk.loadError} onRetry={() => void conversation.load()} />
        {shown.map((turn, place) =>
          turn.role === 'user' ? (
            <QuestionTurn
              key={place}
              text={turn.text}
              {...(!isForeign &&
                !isWriting &&
                turn.index !== null && {
                  onEdit: (edited: string) => void ask(edited, null, turn.index ?? 0),
                })}
            />
          ) : (
            <AnswerTurn
              key={place}
              turn={turn}
              question={shown[place - 1]?.text ?? ''}
              chat={id}
              index={turn.answer?.end?.index ?? turn.index ?? place}
              canRate={!isForeign && turn.ending === null}
              onFeedback={(feedback) => {
                if (turn.index !== null) void conversation.rate(turn.index, feedback);
              }}
              {...(!isForeign &&
                !isWriting &&
                place === lastQuestion + 1 && {
                  onRetry: () => {
                    setFocus(`${id} ${Date.now()}`);
                    void ask(shown[lastQuestion]?.text ?? '', null, shown[lastQuestion]?.index ?? undefined);
                  },
                })}
            />
          ),
        )}
        {open !== null && isWriting && (
          <>
            <QuestionTurn text={open.question} />
            <AnswerBeingWritten answer={open.answer} documents={ready.value} />
          </>
        )}
        {problems}
      </div>
      {isForeign && !talk.isGone && (
        <DraftFor question={shown[lastQuestion]?.text ?? ''} search={chat?.search ?? {}} />
      )}
      {!isForeign && !talk.isGone && composer}
    </section>
  );
}

/**
 * The number of documents that are searched. Counted again when the conversation begins. null: the number is not known.
 */
function useReadyDocuments(
  folder: string,
  isUntouched: boolean,
): { readonly value: number | null; readonly reload: () => void } {
  const { client } = useSession();
  return useLoaded(
    async (signal) => {
      const scope = folder === '' ? {} : { folder_name: [folder], folder_depth: -1 };
      const page = { limit: 1, include_total_count: true, completed_only: true, fields: ['filename'] };
      return (await client.listing({ ...page, ...scope, signal })).total_count ?? null;
    },
    [folder, isUntouched],
  );
}

/** The capabilities of the model in use; null: not known. */
function useModel(): { readonly isConfigured: boolean; readonly readsImages: boolean } | null {
  const { client } = useSession();
  return useLoaded(async (signal) => {
    const { chat_models: models, default_models: defaults } = await client.models({ signal });
    return {
      isConfigured: defaults.chat !== 'extractive',
      readsImages: models.some(({ id: one, vision }) => one === defaults.chat && vision),
    };
  }, []).value;
}
