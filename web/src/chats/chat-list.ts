import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Chat } from '../api/lectern.js';
import { useLoaded } from '../app/calls.js';
import { useSession } from '../app/session.js';

/** Chats in the list; older ones are found by their link. */
const LIMIT = 100;

export interface ChatList {
  /** Newest first; null while they load. */
  readonly chats: readonly Chat[] | null;
  readonly error: unknown;
  readonly reload: () => void;
}

/** Loads the chats once for all views. A key that does not ask has none. */
export function useChats(): ChatList {
  const { client, holder } = useSession();
  const { value, error, reload } = useLoaded<readonly Chat[]>(
    (signal) => (holder.can('query') ? client.chats.list({ limit: LIMIT, signal }) : Promise.resolve([])),
    [],
  );
  return { chats: value, error, reload };
}

export const ChatListContext = createContext<ChatList | null>(null);

export function useChatList(): ChatList {
  const list = useContext(ChatListContext);
  if (list === null) throw new Error('there is no list of chats here');
  return list;
}
