import type { JSX } from 'preact';
import type { DocumentRecord, ListedDocument } from '../api/lectern.js';
import { useSession, type Holder } from '../app/session.js';
import { usePersonName } from '../names/named.js';
import { EVERYONE, membersOf } from '../who/lists.js';
import { t } from '../language/translate.js';

type Owned = Pick<ListedDocument, 'end_user_id' | 'access_control'>;

/** Whether the key may change a document. Without `your_access`, as in the list of documents, those of the person's own. */
export function mayChange(
  { can, changesOnlyOf }: Holder,
  { end_user_id: owner, your_access: right }: Owned & Partial<Pick<DocumentRecord, 'your_access'>>,
): boolean {
  if (right !== undefined) return right !== 'read';
  return can('write') && (changesOnlyOf === null || owner === changesOnlyOf);
}

/** Everybody on the lists of a document, besides its owner. */
function othersOn({ access_control: lists, end_user_id: owner = null }: Owned): string[] {
  const { readers = [], writers = [], admins = [] } = lists ?? {};
  const members = membersOf({ owner, lists: { readers, writers, admins }, source: 'own' });
  return members.map(({ principal }) => principal);
}

/** Whether a document belongs to a person who shares it with nobody. */
export function isPrivate(document: Owned): boolean {
  return typeof document.end_user_id === 'string' && othersOn(document).length === 0;
}

/** Whether a document belongs to a person who does not share it with everyone. */
export function isUnshared(document: Owned): boolean {
  return typeof document.end_user_id === 'string' && !othersOn(document).includes(EVERYONE);
}

/** A badge for a document that not everyone sees. Renders nothing for others. */
export function PrivateMark({ document }: { readonly document: Owned }): JSX.Element | null {
  const { holder } = useSession();
  const { end_user_id: owner = null } = document;
  const others = othersOn(document);
  const name = usePersonName(others.length > 0 || owner === holder.person ? null : owner);
  if (others.includes(EVERYONE)) return null;
  if (others.length > 0) return <span class="badge private">{t('owner.some')}</span>;
  if (owner === null) return null;
  return (
    <span class="badge private">
      {name === null ? t('owner.private') : t('owner.privateTo', { person: name })}
    </span>
  );
}
