import type { JSX } from 'preact';
import type { Chat } from '../api/lectern.js';
import { useLoaded } from '../app/calls.js';
import { goTo, hrefOf } from '../app/router.js';
import { useSession } from '../app/session.js';
import { moment } from '../documents/record.js';
import { Icon } from '../design/icon.js';
import { Busy, EmptyState, ErrorNotice } from '../design/notices.js';
import { RequestCode } from '../requests/request-code.js';
import { chatRequests } from './describe.js';
import { WithSource } from '../source/source-pane.js';
import { Conversation } from './conversation.js';

/** The list of chats beside the open one; a narrow screen shows one of them. */
export function Chats({ id }: { readonly id: string | null }): JSX.Element {
  const { client } = useSession();
  const chats = useLoaded((signal) => client.chats.list({ signal }), []);
  const start = (): void => {
    goTo(hrefOf('chats', newId()));
  };
  const known = chats.value?.find((chat) => chat.chat_id === id) ?? null;
  return (
    <WithSource>
      <div class={id === null ? 'chats' : 'chats open'}>
        <section aria-label="Chats" class="chat-list">
          <div class="row spread">
            <h1>Chats</h1>
            <button type="button" class="primary" onClick={start}>
              <Icon name="plus" /> New chat
            </button>
          </div>
          <ErrorNotice error={chats.error} onRetry={chats.reload} />
          {chats.value === null && chats.error === null && <Busy>Loading chats…</Busy>}
          {chats.value?.length === 0 && id === null && (
            <EmptyState title="No chats yet">
              Start one: what was said before counts in the next question, as in “and in summer?”.
            </EmptyState>
          )}
          <ul class="plain">
            {(chats.value ?? []).map((chat) => (
              <ChatRow key={chat.chat_id} chat={chat} current={chat.chat_id === id} />
            ))}
          </ul>
          <RequestCode title="Chats" requests={chatRequests(id)} />
        </section>
        {id !== null && (
          <Conversation
            key={id}
            id={id}
            title={known?.title ?? null}
            owner={known?.end_user_id ?? null}
            isKnown={known !== null}
            isListed={chats.value !== null}
            onChange={chats.reload}
          />
        )}
      </div>
    </WithSource>
  );
}

function ChatRow({ chat, current }: { readonly chat: Chat; readonly current: boolean }): JSX.Element {
  const { holder } = useSession();
  const { chat_id: id, title, message_count: count, updated_at: updated, end_user_id: person } = chat;
  return (
    <li>
      <a class="chat-row" href={hrefOf('chats', id)} aria-current={current ? 'true' : undefined}>
        <span class="name">{title}</span>
        <span class="small muted">
          {person !== null && person !== holder.person && `${person} · `}
          {count} messages · {moment(updated)}
        </span>
      </a>
    </li>
  );
}

/** `crypto.randomUUID` is missing on pages without TLS. */
function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return `playground-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
