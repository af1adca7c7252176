import { useEffect, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { Chat } from '../api/lectern.js';
import { goTo, hrefOf, useRoute } from '../app/router.js';
import { useSession } from '../app/session.js';
import { ErrorNotice } from '../design/notices.js';
import { ago } from '../documents/record.js';
import { ChatDialog } from './chat-dialog.js';
import { useChatList } from './chat-list.js';
import { keyOf, nameOf, ownerIn, ownerOf, paramsOf } from './owner.js';

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
  if (own.length + begun.length + others.length === 0 && notDeleted === null) {
    return error === null ? null : <ErrorNotice error={error} onRetry={reload} />;
  }
  return (
    <nav aria-label="Chats" class="chat-links">
      <ErrorNotice error={error} onRetry={reload} />
      {notDeleted !== null && (
        <div class="chat-kept small">
          <p>“{notDeleted.chat.title}” was not deleted.</p>
          <ErrorNotice error={notDeleted.error} />
        </div>
      )}
      <ul class="plain">
        {begun.map(({ id, question }) => (
          <li key={id} class="chat-link">
            <a href={hrefOf('ask', id)} aria-current={id === current ? 'page' : undefined}>
              {question}
              <span class="chat-of muted small">An answer is being written</span>
            </a>
          </li>
        ))}
        {own.map((chat) => (
          <ChatLink key={chat.chat_id} chat={chat} current={current} />
        ))}
      </ul>
      {others.length > 0 && <OthersChats chats={others} current={current} />}
    </nav>
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
      <summary class="small muted">Chats of others</summary>
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
    <li class="chat-link">
      <a
        href={hrefOf('ask', id, paramsOf(owner))}
        aria-current={isShown ? 'page' : undefined}
        title={`${title} · ${ago(updated)}`}
      >
        {title}
        {isOthers && <span class="chat-of muted small">{nameOf(owner)}</span>}
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
