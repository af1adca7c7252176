import type { JSX } from 'preact';
import type { Chat } from '../api/lectern.js';
import { goTo, hrefOf } from '../app/router.js';
import { useSession } from '../app/session.js';
import { ErrorNotice } from '../design/notices.js';
import { ago } from '../documents/record.js';
import { ChatDialog } from './chat-dialog.js';
import { useChatList } from './chat-list.js';

interface ChatLinksProps {
  /** Id of the open chat. */
  readonly current: string | null;
}

/** The last chats, each with a way to rename or delete it. */
export function ChatLinks({ current }: ChatLinksProps): JSX.Element | null {
  const { chats, error, reload, notDeleted } = useChatList();
  if (chats === null || chats.length === 0) {
    return error === null ? null : <ErrorNotice error={error} onRetry={reload} />;
  }
  return (
    <nav aria-label="Chats" class="chat-links">
      {notDeleted !== null && (
        <div class="chat-kept small">
          <p>“{notDeleted.chat.title}” was not deleted.</p>
          <ErrorNotice error={notDeleted.error} />
        </div>
      )}
      <ul class="plain">
        {chats.map((chat) => (
          <ChatLink key={`${chat.chat_id} ${chat.end_user_id ?? ''}`} chat={chat} current={current} />
        ))}
      </ul>
    </nav>
  );
}

function ChatLink({ chat, current }: ChatLinksProps & { readonly chat: Chat }): JSX.Element {
  const { holder } = useSession();
  const { reload } = useChatList();
  const { chat_id: id, title, updated_at: updated, end_user_id: person } = chat;
  const isForeign = person !== null && person !== holder.person;
  return (
    <li class="chat-link">
      <a
        href={hrefOf('ask', id)}
        aria-current={id === current ? 'page' : undefined}
        title={`${title} · ${ago(updated)}`}
      >
        {title}
        {isForeign && <span class="muted small"> · {person}</span>}
      </a>
      <ChatDialog
        chat={chat}
        onChange={reload}
        onRemoved={() => {
          if (id === current) goTo(hrefOf('ask'));
        }}
      />
    </li>
  );
}
