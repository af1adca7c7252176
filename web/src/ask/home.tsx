import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { useKept } from '../app/kept.js';
import { useChatList } from '../chats/chat-list.js';
import { WithSource } from '../source/source-pane.js';
import { ConversationView } from './conversation-view.js';

/** The place to ask: a field while it is empty, and a conversation from the first question on. @param id of a chat */
export function Home({ id }: { readonly id: string | null }): JSX.Element {
  const { chats } = useChatList();
  const [next, setNext] = useKept('ask.next', newId());
  useEffect(() => {
    if (id === next) setNext(newId()); // the next chat is another one
  }, [id]);
  const shown = id ?? next;
  const chat = chats?.find(({ chat_id: one }) => one === shown) ?? null;
  return (
    <WithSource>
      <ConversationView key={shown} id={shown} isNew={id === null} chat={chat} />
    </WithSource>
  );
}

/** `crypto.randomUUID` is missing on pages without TLS. */
function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return `playground-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
