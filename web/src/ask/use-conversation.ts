import { useEffect, useState } from 'preact/hooks';
import { useSession } from '../app/session.js';
import type { ChatOwner } from '../chats/owner.js';
import type { Conversation } from './conversation.js';
import type { ConversationState } from './conversation-store.js';
import { whileVisible } from './while-visible.js';
import { exchangeOf, type ShownTurn, withLost } from './turn.js';

interface ShownConversation extends ConversationState {
  readonly conversation: Conversation;
  /** All turns to show, except the turns of a question that is being answered. */
  readonly shown: readonly ShownTurn[];
  readonly isWriting: boolean;
}

/** Follows a conversation of the session while its view is shown. @param isNew see Conversations.of */
export function useConversation(id: string, owner: ChatOwner, isNew: boolean): ShownConversation {
  const { conversations } = useSession();
  const [conversation] = useState(() => conversations.of(id, owner, isNew));
  const [state, setState] = useState(conversation.state);
  useEffect(() => {
    const leave = conversation.follow(setState);
    void conversation.load();
    const unwatch = whileVisible({
      look: () => conversation.look(),
      onShown: () => void conversation.load(),
    });
    return () => {
      unwatch();
      leave();
    };
  }, [conversation]);
  const { turns, lost, open } = state;
  const before = withLost(open === null ? turns : turns.slice(0, open.at), lost);
  const isWriting = open !== null && open.ending === null;
  const shown =
    open === null || open.ending === null
      ? before
      : [
          ...before,
          ...exchangeOf(open.question, open.answer, open.ending).map((turn, place) => ({
            ...turn,
            index: open.at + place,
          })),
        ];
  return { ...state, conversation, shown, isWriting };
}
