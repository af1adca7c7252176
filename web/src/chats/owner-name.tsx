import type { JSX } from 'preact';
import { usePersonName } from '../names/named.js';
import { t } from '../language/translate.js';
import type { ChatOwner } from './owner.js';

interface OwnerProps {
  /**
   * The owner of a chat that is not the key's own. An own chat is "somebody else's" here: a link without an owner counts
   * as the reader's own, even if it opens the chat of another person.
   */
  readonly owner: ChatOwner;
}

export function OwnerName({ owner }: OwnerProps): JSX.Element {
  const person = usePersonName(personIn(owner));
  if (person !== null) return <bdi>{person}</bdi>;
  return <>{t('own' in owner && owner.own ? 'chats.somebody' : 'chats.application')}</>;
}

/** Says whose a chat is. */
export function WhoseChat({ owner }: OwnerProps): JSX.Element {
  const person = usePersonName(personIn(owner));
  if (person !== null) return <>{t('chats.isOfPerson', { person })}</>;
  return <>{t('own' in owner && owner.own ? 'chats.isOfSomebody' : 'chats.isOfApplication')}</>;
}

function personIn(owner: ChatOwner): string | null {
  return 'end_user_id' in owner ? owner.end_user_id : null;
}
