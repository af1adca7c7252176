import { useEffect, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { Chat } from '../api/lectern.js';
import { useLoaded } from '../app/calls.js';
import { goTo, hrefOf, useRoute } from '../app/router.js';
import { useSession } from '../app/session.js';
import { Icon } from '../design/icon.js';
import { ErrorNotice } from '../design/notices.js';
import { ago } from '../documents/record.js';
import { ChatDialog } from './chat-dialog.js';
import { foldersOf, useChatList } from './chat-list.js';
import { addsTo } from './found.js';
import { OwnerName } from './owner-name.js';
import { keyOf, ownerIn, ownerOf, paramsOf } from './owner.js';
import { t } from '../language/translate.js';

/** Number of chats from which on the list can be searched. */
const SEARCHABLE = 5;
const MAX_FOUND = 30;

interface ChatLinksProps {
  /** Id of the open chat. */
  readonly current: string | null;
}

/**
 * The latest chats, each with actions to rename or delete it. Administrators also see the chats of others, in a
 * separate list.
 */
export function ChatLinks({ current }: ChatLinksProps): JSX.Element | null {
  const { chats, error, reload, others, notDeleted } = useChatList();
  const begun = useBegun(chats);
  const own = chats ?? [];
  const [words, setWords] = useState('');
  const isSearching = words.trim() !== '' && own.length >= SEARCHABLE;
  if (own.length + begun.length + others.length === 0 && notDeleted === null) {
    return error === null ? null : <ErrorNotice error={error} onRetry={reload} />;
  }
  return (
    <nav aria-label={t('chats.list')} class="chat-links">
      <ErrorNotice error={error} onRetry={reload} />
      {notDeleted !== null && (
        <div class="chat-kept small">
          <p>{t('chats.notDeleted', { title: notDeleted.chat.title })}</p>
          <ErrorNotice error={notDeleted.error} />
        </div>
      )}
      {own.length >= SEARCHABLE && (
        <input
          type="search"
          class="chat-search"
          dir="auto"
          maxLength={256}
          aria-label={t('chats.search')}
          placeholder={t('chats.search')}
          value={words}
          onInput={(event) => {
            setWords(event.currentTarget.value);
          }}
        />
      )}
      {isSearching ? (
        <FoundChats words={words.trim()} current={current} />
      ) : (
        <OwnChats begun={begun} chats={own} current={current} />
      )}
      {!isSearching && others.length > 0 && <OthersChats chats={others} current={current} />}
    </nav>
  );
}

interface OwnChatsProps extends ChatLinksProps {
  readonly begun: readonly { readonly id: string; readonly question: string }[];
  readonly chats: readonly Chat[];
}

/** Pinned chats, then each folder, and then the chats outside of folders. */
function OwnChats({ begun, chats, current }: OwnChatsProps): JSX.Element {
  const pinned = chats.filter((chat) => chat.pinned);
  const others = chats.filter((chat) => !chat.pinned);
  return (
    <>
      {pinned.length > 0 && (
        <ul class="plain">
          {pinned.map((chat) => (
            <ChatLink key={chat.chat_id} chat={chat} current={current} />
          ))}
        </ul>
      )}
      {foldersOf(others).map((folder) => {
        const inside = others.filter((chat) => chat.chat_folder === folder);
        return (
          <details key={folder} class="chat-folder" open={inside.some((chat) => chat.chat_id === current)}>
            <summary class="small">
              <Icon name="folder" /> <bdi>{folder}</bdi>
            </summary>
            <ul class="plain">
              {inside.map((chat) => (
                <ChatLink key={chat.chat_id} chat={chat} current={current} />
              ))}
            </ul>
          </details>
        );
      })}
      <ul class="plain">
        {begun.map(({ id, question }) => (
          <li key={id} class="chat-link">
            <a href={hrefOf('ask', id)} aria-current={id === current ? 'page' : undefined}>
              <span class="chat-title">
                <bdi>{question}</bdi>
              </span>
              <span class="chat-of muted small">{t('chats.writing')}</span>
            </a>
          </li>
        ))}
        {others
          .filter((chat) => chat.chat_folder === null)
          .map((chat) => (
            <ChatLink key={chat.chat_id} chat={chat} current={current} />
          ))}
      </ul>
    </>
  );
}

/** Chats whose title or a message contains the words. */
function FoundChats({ words, current }: ChatLinksProps & { readonly words: string }): JSX.Element {
  const { client } = useSession();
  const { value, error, running } = useLoaded(
    (signal) => client.chats.list({ q: words, own: true, limit: MAX_FOUND, signal }),
    [words],
  );
  return (
    <div aria-live="polite" aria-busy={running}>
      <ErrorNotice error={error} />
      {value?.length === 0 && <p class="small muted">{t('chats.noneFound')}</p>}
      <ul class="plain found-chats">
        {value?.map((chat) => (
          <ChatLink key={chat.chat_id} chat={chat} current={current} />
        ))}
      </ul>
    </div>
  );
}

/** New chats with a first answer that is being written. The service does not list a chat before its first answer. */
function useBegun(chats: readonly Chat[] | null): { readonly id: string; readonly question: string }[] {
  const { conversations } = useSession();
  const [, setChanges] = useState(0);
  useEffect(
    () =>
      conversations.follow(() => {
        setChanges((before) => before + 1);
      }),
    [conversations],
  );
  return conversations
    .writing()
    .filter(({ id }) => chats?.some((chat) => chat.chat_id === id) === false)
    .map(({ id, state }) => ({ id, question: state.open?.question ?? '' }));
}

/** Chats of end users and applications, which administrators may read. */
function OthersChats({ chats, current }: ChatLinksProps & { readonly chats: readonly Chat[] }): JSX.Element {
  const { reloadOthers } = useChatList();
  return (
    <details class="chats-of-others" onToggle={(event) => event.currentTarget.open && reloadOthers()}>
      <summary class="small muted">{t('chats.ofOthers')}</summary>
      <ul class="plain">
        {chats.map((chat) => (
          <ChatLink
            key={`${chat.chat_id} ${chat.end_user_id ?? ''} ${chat.created_at}`}
            chat={chat}
            current={current}
            isOthers
          />
        ))}
      </ul>
    </details>
  );
}

function ChatLink({
  chat,
  current,
  isOthers = false,
}: ChatLinksProps & { readonly chat: Chat; readonly isOthers?: boolean }): JSX.Element {
  const { reload, reloadOthers } = useChatList();
  const { holder } = useSession();
  const { params } = useRoute();
  const { chat_id: id, title, updated_at: updated } = chat;
  const owner = ownerOf(chat, isOthers);
  const isShown = id === current && keyOf(id, owner) === keyOf(id, ownerIn(params, holder.person));
  return (
    <li class={chat.pinned ? 'chat-link pinned' : 'chat-link'}>
      <a
        href={hrefOf('ask', id, paramsOf(owner))}
        aria-current={isShown ? 'page' : undefined}
        title={`${title} · ${ago(updated)}`}
      >
        <span class="chat-title">
          {chat.pinned && <Icon name="pin" />}
          <bdi>{title}</bdi>
          {chat.pinned && <span class="visually-hidden">{t('chats.pinned')}</span>}
        </span>
        {chat.pinned && chat.chat_folder !== null && (
          <span class="chat-of muted small">
            <Icon name="folder" /> <bdi>{chat.chat_folder}</bdi>
          </span>
        )}
        {addsTo(title, chat.match) && (
          <span class="chat-of muted small" dir="auto">
            {chat.match}
          </span>
        )}
        {isOthers && (
          <span class="chat-of muted small">
            <OwnerName owner={owner} />
          </span>
        )}
      </a>
      <ChatDialog
        chat={chat}
        owner={owner}
        onChange={isOthers ? reloadOthers : reload}
        onRemoved={() => {
          if (isShown) goTo(hrefOf('ask'));
        }}
      />
    </li>
  );
}
