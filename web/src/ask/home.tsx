import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { useKept } from '../app/kept.js';
import { useChatList } from '../chats/chat-list.js';
import { WithSource } from '../source/source-pane.js';
import { ConversationView } from './conversation-view.js';

interface HomeProps {
  /** Id of a chat. */
  readonly id: string | null;
  /** Whose chat it is; null: the one of this key. */
  readonly person: string | null;
}

/** The place to ask: a field while it is empty, and a conversation from the first question on. */
export function Home({ id, person }: HomeProps): JSX.Element {
  const { chats } = useChatList();
  const [next, setNext] = useKept('ask.next', newId());
  useEffect(() => {
    if (id === next) setNext(newId()); // the next chat is another one
  }, [id]);
  const shown = id ?? next;
  const chat =
    chats?.find(
      ({ chat_id: one, end_user_id: owner }) => one === shown && (person === null || owner === person),
    ) ?? null;
  return (
    <WithSource>
      <ConversationView
        key={`${shown} ${person ?? ''}`}
        id={shown}
        isNew={id === null}
        chat={chat}
        person={person}
      />
    </WithSource>
  );
}

/** `crypto.randomUUID` is missing on pages without TLS. */
function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return `playground-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
