import type { Chat } from '../api/lectern.js';
import type { Route } from '../app/router.js';

/** Which chat of an id is meant: the key's own, that of an end user, or that of anybody else, such as an application. */
export type ChatOwner = { readonly own: boolean } | { readonly end_user_id: string };

export const OWN: ChatOwner = { own: true };
const OTHERS = 'others';

/** Identifies a chat among those of the same id. */
export function keyOf(id: string, owner: ChatOwner): string {
  return `${id} ${JSON.stringify(owner)}`;
}

/** @param isOthers whether it is in the list of chats of others */
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

/** Whose chat it is, for a sentence. */
export function nameOf(owner: ChatOwner): string {
  if ('end_user_id' in owner) return owner.end_user_id;
  return owner.own ? 'somebody else' : 'an application';
}
