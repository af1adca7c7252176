import type { Group, Key } from '../api/lectern.js';
import type { DescribedRequest } from '../requests/described-request.js';
import { t } from '../language/translate.js';

/** A set of permissions, with one label for keys of people and one label for keys of applications. */
interface Access {
  readonly scopes: Key['scopes'];
  readonly person: AccessText;
  readonly application: AccessText;
}

type AccessText =
  | 'access.admin'
  | 'access.askApplication'
  | 'access.askPerson'
  | 'access.writeApplication'
  | 'access.writePerson';

export const ACCESS: readonly [Access, ...Access[]] = [
  { scopes: ['read', 'query'], person: 'access.askPerson', application: 'access.askApplication' },
  {
    scopes: ['read', 'query', 'write'],
    person: 'access.writePerson',
    application: 'access.writeApplication',
  },
  { scopes: ['admin'], person: 'access.admin', application: 'access.admin' },
];

export function accessOf({ scopes, end_user_id: person }: Pick<Key, 'scopes' | 'end_user_id'>): string {
  if (scopes.includes('admin')) return t('access.admin');
  const known = ACCESS.find(
    ({ scopes: of }) => of.length === scopes.length && of.every((scope) => scopes.includes(scope)),
  );
  return known === undefined ? scopes.join(', ') : t(known[person === null ? 'application' : 'person']);
}

export function worksAt({ revoked_at: revoked, expires_at: expires }: Key, now: number): boolean {
  return revoked === null && (expires === null || Date.parse(expires) > now);
}

/** The link with the origin of this page, because the service may not know its public address (PUBLIC_URL). */
export function hereOf(link: string): string {
  return `${location.origin}/${new URL(link).hash}`;
}

/** Derives from the name an id that no person has yet: `ann-lee`, or `ann-lee-2` if `ann-lee` is taken. */
export function newIdFor(name: string, taken: ReadonlySet<string>): string {
  const id = idFor(name);
  let number = 1;
  const numbered = (): string => (number === 1 ? id : `${id}-${number}`);
  while (taken.has(numbered())) number += 1;
  return numbered();
}

/** The id of a person, proposed from the name: `Ann Lee` is `ann-lee`. */
function idFor(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/[\s/]+/g, '-');
}

export function keyRequests(): DescribedRequest[] {
  const body = { name: 'Ann', end_user_id: 'ann', scopes: ['read', 'query'] };
  return [
    { method: 'GET', path: '/keys', call: 'const keys = await lectern.keys.list();' },
    {
      method: 'POST',
      path: '/keys',
      body,
      call: `const { id } = await lectern.keys.create(${JSON.stringify(body)});`,
    },
    {
      method: 'POST',
      path: '/keys/<id>/sign_in_link',
      call: 'const { url } = await lectern.keys.signInLink(id);',
    },
    { method: 'DELETE', path: '/keys/<id>', call: 'await lectern.keys.revoke(id);' },
  ];
}

/** Whether another group already has a name, in any case: people could not tell the two apart. */
export function isGroupName(name: string, groups: readonly Group[]): boolean {
  const plain = (text: string): string => text.trim().toLowerCase().normalize();
  return groups.some(({ id, name: other }) => plain(other ?? id) === plain(name));
}

/** Groups by name. Team 2 comes before Team 10. */
export function inOrder(groups: readonly Group[]): Group[] {
  const { compare } = new Intl.Collator(undefined, { numeric: true });
  return [...groups].sort((a, b) => compare(a.name ?? a.id, b.name ?? b.id));
}
