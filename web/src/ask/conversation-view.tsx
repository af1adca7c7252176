import { useEffect, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { Chat, QueryRequest } from '../api/lectern.js';
import { useCall, useLoaded } from '../app/calls.js';
import { useKept } from '../app/kept.js';
import { usePageTitle } from '../app/page-title.js';
import { goTo, hrefOf } from '../app/router.js';
import { useSession } from '../app/session.js';
import { ChatDialog } from '../chats/chat-dialog.js';
import { ChatLinks } from '../chats/chat-links.js';
import { useChatList } from '../chats/chat-list.js';
import { chatRequests } from '../chats/describe.js';
import { ShareChat } from '../chats/share-chat.js';
import type { ChatOwner } from '../chats/owner.js';
import { WhoseChat } from '../chats/owner-name.js';
import { Icon } from '../design/icon.js';
import { Busy, EmptyState, ErrorNotice, Skeleton } from '../design/notices.js';
import { RequestCode } from '../requests/request-code.js';
import { ScopeDocuments, useScope } from '../search/scope-documents.js';
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
import { printChat } from './print.js';
import { Start } from './start.js';
import { AnswerBeingWritten, AnswerTurn, QuestionTurn } from './turn-view.js';
import { useConversation } from './use-conversation.js';
import { useFollowing } from './use-following.js';
import { useVersions } from './versions.js';
import { rich, t } from '../language/translate.js';

interface ConversationViewProps {
  readonly id: string;
  /** Whether the chat is new, so that the URL does not contain its id yet. */
  readonly isNew: boolean;
  /** The chat as the list shows it. null: it is not stored yet, or too old for the list. */
  readonly chat: Chat | null;
  readonly owner: ChatOwner;
}

export function ConversationView({ id, isNew, chat, owner }: ConversationViewProps): JSX.Element {
  const { client, holder } = useSession();
  const { reload } = useChatList();
  const [kept, setForm] = useKept<RetrievalForm | null>(`chat ${id} form`, null);
  const form = kept ?? (chat === null ? EMPTY_FORM : formOf(chat.search));
  const [text, setText] = useKept(`chat ${id} text`, '');
  const [image, setImage] = useKept<QuestionImage | null>(`chat ${id} image`, null);
  const talk = useConversation(id, owner, isNew);
  const { conversation, open, isWriting, isForeign } = talk;
  const versions = useVersions(id, owner, talk.shown);
  const { shown, viewed } = versions;
  const isLatest = viewed === null;
  const { folder } = form;
  const isUntouched = shown.length === 0 && !isWriting;
  const ready = useReadyDocuments(folder, isUntouched);
  const readsImages = useReadsImages();
  const { hasMore, toEnd } = useFollowing({
    turns: talk.turns,
    isWriting,
    hasTurns: !isUntouched,
    isQuiet: talk.isQuiet,
  });
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
  const scope = useScope(form.documents);
  const setDocuments = (documents: readonly string[]): void => {
    setForm((before) => ({ ...(before ?? form), documents }));
  };
  const attach = useCall(async (signal, files: readonly File[]) => {
    const added: string[] = [];
    for (const file of files) {
      const { external_id: one } = await client.ingestFile(file, { signal });
      added.push(one);
      setForm((before) => {
        const latest = before ?? form;
        return { ...latest, documents: [...latest.documents.filter((other) => other !== one), one] };
      });
    }
    return added;
  });
  const [attached, setAttached] = useState(0);
  const hindrance = hindranceOf(form);
  const areReady = !scope.isProcessing && !attach.running;
  const hasProblem = scope.hasFailed || attach.error !== null || hindrance !== null;
  const [isWaiting, setWaiting] = useState(false);
  useEffect(() => {
    if (!isWaiting || !(areReady || hasProblem) || isWriting) return;
    setWaiting(false);
    if (!hasProblem && (text.trim() !== '' || image !== null)) send();
  }, [isWaiting, areReady, hasProblem, isWriting]);
  const isEmpty = isUntouched && !talk.isGone;
  const isStart = isEmpty && isNew;
  const lastQuestion = shown.length - 2;
  const isReady = (text.trim() !== '' || image !== null) && hindrance === null;
  const request = { ...requestFor(text.trim(), image), chat_id: id, inline_citations: true };
  const composer = (
    <div class="composer">
      {hasMore && !isStart && (
        <button
          type="button"
          class="to-end"
          aria-label={t('ask.toEnd')}
          title={t('ask.toEnd')}
          onClick={toEnd}
        >
          <Icon name="down" />
        </button>
      )}
      <QuestionInput
        label={t('ask.question')}
        placeholder={isStart ? t('ask.firstQuestion') : t('ask.followUp')}
        text={text}
        onText={setText}
        image={image}
        onImage={setImage}
        imageHindrance={readsImages === true ? null : t('ask.noImages')}
        hindrance={hindrance}
        {...(holder.can('write') && {
          onFiles: (files: readonly File[]) => {
            setAttached(files.length);
            void attach.run(files);
          },
        })}
        action={t('ask.send')}
        running={isWriting}
        onSend={() => {
          if (areReady) send();
          else setWaiting(true);
        }}
        onStop={() => {
          setFocus(`${id} ${Date.now()}`); // the button will be disabled and lose the focus
          conversation.stop();
        }}
        focus={focus}
      />
      <ErrorNotice error={attach.error} />
      {attach.running && <Busy>{t('scope.sending', { count: attached })}</Busy>}
      {isWaiting && (
        <p class="small row" role="status">
          {t('scope.waiting')}
          <button
            type="button"
            class="small-button"
            onClick={() => {
              setWaiting(false);
              setFocus(`${id} ${Date.now()}`); // the button disappears
            }}
          >
            {t('action.cancel')}
          </button>
        </p>
      )}
      <ScopeDocuments ids={form.documents} scope={scope} onChange={setDocuments} />
      {attach.value?.some((one) => form.documents.includes(one)) === true && (
        <p class="small muted">{holder.person === null ? t('scope.shared') : t('scope.private')}</p>
      )}
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
      <ErrorNotice error={rest ?? versions.error} />
      {talk.isStale && (
        <p class="notice hint small" role="alert">
          {t('ask.changedElsewhere')}
        </p>
      )}
      {refusesImage(rest) && (
        <p class="muted">
          {rich('ask.imagesElsewhere', { a: (parts) => <a href={hrefOf('search')}>{parts}</a> })}
        </p>
      )}
      {placed.length > 0 && <OptionsRefused />}
    </>
  );
  if (isStart) {
    return (
      <section aria-label={t('view.ask')} class="start">
        <h1>{t('ask.start')}</h1>
        {composer}
        {problems}
        {form.documents.length === 0 && (
          <Start
            folder={folder}
            documents={ready.value}
            onAsk={(question) => {
              void ask(question);
            }}
            onLoaded={ready.reload}
          />
        )}
        <div class="start-chats">
          <ChatLinks current={null} />
        </div>
        <RequestCode
          title={t('ask.thisQuestion')}
          requests={isReady ? [queryRequest(request)] : chatRequests(null)}
        />
      </section>
    );
  }
  return (
    <section aria-label={t('ask.conversation')} class="conversation">
      <div class="conversation-head">
        <h1>
          <bdi>{title ?? t('ask.untitled')}</bdi>
        </h1>
        {chat !== null && !isForeign && (
          <ShareChat chat={chat} onChange={reload} buttonClass="small-button" />
        )}
        {chat !== null && (
          <ChatDialog
            chat={chat}
            owner={owner}
            onChange={reload}
            onRemoved={() => {
              goTo(hrefOf('ask'));
            }}
            onPrint={printChat}
          />
        )}
        <RequestCode
          title={t('ask.thisChat')}
          requests={[...(isReady ? [queryRequest(request)] : []), ...chatRequests(id)]}
        />
      </div>
      {isForeign && (
        <p class="notice hint small">
          <WhoseChat owner={owner} />
        </p>
      )}
      <div class="turns">
        {talk.isGone && (
          <EmptyState title={t('ask.gone')}>
            {rich('ask.goneWhy', { a: (parts) => <a href={hrefOf('ask')}>{parts}</a> })}
          </EmptyState>
        )}
        {talk.isLoading && isEmpty && (
          <>
            <Busy>{t('ask.loading')}</Busy>
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
                isLatest &&
                turn.index !== null && {
                  onEdit: (edited: string) => void ask(edited, null, turn.index ?? 0),
                })}
              {...(turn.index !== null &&
                (turn.earlierVersions ?? 0) > 0 && {
                  version: {
                    number: viewed?.index === turn.index ? viewed.number : (turn.earlierVersions ?? 0) + 1,
                    count: (turn.earlierVersions ?? 0) + 1,
                    onView: (number: number) => {
                      versions.view(turn.index ?? 0, number);
                    },
                  },
                })}
            />
          ) : (
            <AnswerTurn
              key={place}
              turn={turn}
              question={shown[place - 1]?.text ?? ''}
              chat={id}
              index={turn.answer?.end?.index ?? turn.index ?? place}
              canRate={!isForeign && isLatest && turn.ending === null}
              {...(!isForeign && { scope: { ids: form.documents, onChange: setDocuments } })}
              onFeedback={(feedback) => {
                if (turn.index !== null) void conversation.rate(turn.index, feedback);
              }}
              {...(!isForeign &&
                !isWriting &&
                isLatest &&
                place === lastQuestion + 1 && {
                  onRetry: () => {
                    setFocus(`${id} ${Date.now()}`);
                    void ask(shown[lastQuestion]?.text ?? '', null, shown[lastQuestion]?.index ?? undefined);
                  },
                })}
            />
          ),
        )}
        {!isLatest && (
          <p class="notice hint small row spread" role="status">
            {t('ask.earlierVersion')}
            <button type="button" class="small-button" onClick={versions.viewLatest}>
              {t('ask.latestVersion')}
            </button>
          </p>
        )}
        {open !== null && isWriting && (
          <>
            <QuestionTurn text={open.question} />
            <AnswerBeingWritten
              answer={open.answer}
              documents={ready.value}
              isDisconnected={open.isDisconnected === true}
            />
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

/** Whether the model in use reads images; null: not known. */
function useReadsImages(): boolean | null {
  const { client } = useSession();
  return useLoaded(async (signal) => {
    const { chat_models: models, default_models: defaults } = await client.models({ signal });
    return models.some(({ id: one, vision }) => one === defaults.chat && vision);
  }, []).value;
}
