import type { JSX } from 'preact';
import type { ListedDocument } from '../api/lectern.js';
import { useSession, type Holder } from '../app/session.js';

type Owned = Pick<ListedDocument, 'end_user_id'>;

/** Whether the key may change a document. The service applies the same rule. */
export function mayChange({ can, changesOnlyOf }: Holder, { end_user_id: owner }: Owned): boolean {
  return can('write') && (changesOnlyOf === null || owner === changesOnlyOf);
}

export function isPrivate({ end_user_id: owner }: Owned): boolean {
  return typeof owner === 'string';
}

/** A badge for a private document. Renders nothing for a shared document. */
export function PrivateMark({ document }: { readonly document: Owned }): JSX.Element | null {
  const { holder } = useSession();
  const { end_user_id: owner } = document;
  if (typeof owner !== 'string') return null;
  return <span class="badge private">{owner === holder.person ? 'Private' : `Private to ${owner}`}</span>;
}

export const CHANGED_BY_ADMINISTRATORS = 'Shared: only administrators can change it.';
