import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Route } from '../app/router.js';
import { useSession } from '../app/session.js';
import { useChatList } from '../chats/chat-list.js';
import { keyOf, ownerIn, ownerOf } from '../chats/owner.js';
import { WithSource } from '../source/source-pane.js';
import { ConversationView } from './conversation-view.js';
import { useNextChat } from './next-chat.js';

interface HomeProps {
  /** Id of the chat in the URL; null: a new chat. */
  readonly id: string | null;
  readonly params: Route['params'];
}

/**
 * The view for questions. At first it shows only the question field; after the first question it shows the
 * conversation.
 */
export function Home({ id, params }: HomeProps): JSX.Element {
  const { holder } = useSession();
  const { chats, others } = useChatList();
  const [next, renew] = useNextChat();
  useEffect(() => {
    if (id === next) renew(); // this chat is no longer new, so the next new chat needs another id
  }, [id]);
  const shown = id ?? next;
  const owner = ownerIn(params, holder.person);
  const key = keyOf(shown, owner);
  const chat =
    chats?.find((one) => key === keyOf(one.chat_id, ownerOf(one, false))) ??
    others.find((one) => key === keyOf(one.chat_id, ownerOf(one, true))) ??
    null;
  return (
    <WithSource>
      <ConversationView key={key} id={shown} isNew={id === null} chat={chat} owner={owner} />
    </WithSource>
  );
}
