import type { Chat } from '../api/lectern.js';
import type { Route } from '../app/router.js';

/**
 * Selects one of several chats with the same id: the key's own chat, the chat of an end user, or the chat of an
 * application.
 */
export type ChatOwner = { readonly own: boolean } | { readonly end_user_id: string };

export const OWN: ChatOwner = { own: true };
const OTHERS = 'others';

/** Identifies a chat by id and owner, because several owners can have a chat with the same id. */
export function keyOf(id: string, owner: ChatOwner): string {
  return `${id} ${JSON.stringify(owner)}`;
}

/** Whether the chat is the key's own. */
export function isOwn(owner: ChatOwner): boolean {
  return 'own' in owner && owner.own;
}

/** @param isOthers whether the chat is in the list of chats of others */
export function ownerOf({ end_user_id: person }: Chat, isOthers: boolean): ChatOwner {
  if (!isOthers) return OWN;
  return person === null ? { own: false } : { end_user_id: person };
}

/** @param me the person to whom the key belongs */
export function ownerIn(params: Route['params'], me: string | null): ChatOwner {
  const person = params.get('person');
  if (person !== null && person !== me) return { end_user_id: person };
  return { own: params.get('whose') !== OTHERS };
}

/** The parameters of a link to the chat; see {@link ownerIn}. */
export function paramsOf(owner: ChatOwner): { readonly person?: string; readonly whose?: string } {
  if ('end_user_id' in owner) return { person: owner.end_user_id };
  return owner.own ? {} : { whose: OTHERS };
}
