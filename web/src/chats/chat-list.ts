import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import { LecternError, type Chat } from '../api/lectern.js';
import { KEY_REFUSED, useLoaded } from '../app/calls.js';
import { useSession } from '../app/session.js';
import { ownerOf } from './owner.js';

/** Maximum number of chats in the list; older chats are opened by their links. */
const LIMIT = 100;

export interface NotDeleted {
  readonly chat: Chat;
  readonly error: unknown;
}

export interface ChatList {
  /** The key's own chats: pinned ones first, then the newest; null while they load. */
  readonly chats: readonly Chat[] | null;
  readonly error: unknown;
  readonly reload: () => void;
  /** For administrators: chats of end users and applications, newest first. */
  readonly others: readonly Chat[];
  readonly reloadOthers: () => void;
  /**
   * Deletes a chat and removes it from the list at once. If the service refuses the deletion, the list shows the chat
   * again.
   */
  readonly remove: (chat: Chat) => void;
  /** The last refused deletion. */
  readonly notDeleted: NotDeleted | null;
}

/** Loads the chats once for all views. A key without the permission `query` has no chats. */
export function useChats(): ChatList {
  const { client, holder, ended, signOut, conversations } = useSession();
  const listed = (own: boolean, signal: AbortSignal): Promise<readonly Chat[]> =>
    client.chats.list({ limit: LIMIT, own, signal });
  const { value, error, reload } = useLoaded<readonly Chat[]>(
    (signal) => (holder.can('query') ? listed(true, signal) : Promise.resolve([])),
    [],
  );
  const { value: ofOthers, reload: reloadOthers } = useLoaded<readonly Chat[]>(
    (signal) => (holder.can('admin') ? listed(false, signal) : Promise.resolve([])),
    [],
  );
  useEffect(() => conversations.followChanges(reload), [conversations, reload]);
  useEffect(() => {
    if (holder.can('query')) conversations.resume().catch(() => undefined); // the list says that the service is not there
  }, [conversations]);
  const [removed, setRemoved] = useState<ReadonlySet<string>>(new Set());
  const [notDeleted, setNotDeleted] = useState<NotDeleted | null>(null);
  const remove = async (chat: Chat): Promise<void> => {
    const { chat_id: id } = chat;
    const owner = ownerOf(chat, ofOthers?.includes(chat) === true);
    const key = keyOf(chat);
    const forgotten = conversations.forget(id, owner);
    setRemoved((before) => new Set(before).add(key));
    setNotDeleted(null);
    try {
      await forgotten;
      await client.chats.delete(id, { ...owner, signal: ended });
      conversations.changed(id);
      reloadOthers();
    } catch (problem) {
      if (ended.aborted) return;
      const status = problem instanceof LecternError ? problem.status : null;
      if (status === 401) signOut(KEY_REFUSED);
      if (status === 404) return; // the chat was already deleted in another window
      setRemoved((before) => new Set([...before].filter((one) => one !== key)));
      setNotDeleted({ chat, error: problem });
    }
  };
  const kept = (chat: Chat): boolean => !removed.has(keyOf(chat));
  return {
    chats: value?.filter(kept) ?? null,
    error,
    reload,
    others: ofOthers?.filter(kept) ?? [],
    reloadOthers,
    remove: (chat) => void remove(chat),
    notDeleted,
  };
}

/** Identifies a chat. The key includes the creation time, because a later chat may have the id of a deleted chat. */
function keyOf({ chat_id: id, end_user_id: owner, created_at: created }: Chat): string {
  return `${id} ${owner ?? ''} ${created}`;
}

/** Names of the folders of chats, sorted. */
export function foldersOf(chats: readonly Chat[]): string[] {
  return [...new Set(chats.flatMap((chat) => chat.chat_folder ?? []))].sort((a, b) => a.localeCompare(b));
}

export const ChatListContext = createContext<ChatList | null>(null);

export function useChatList(): ChatList {
  const list = useContext(ChatListContext);
  if (list === null) throw new Error('there is no list of chats here');
  return list;
}
