import type { Key } from '../language/words.js';

const RETURN = 'lectern.return';

/** Why somebody who comes back from the identity provider is not signed in, by the last part of the address. */
const REASONS: Readonly<Record<string, Key>> = {
  ended: 'signIn.ended',
  refused: 'signIn.refused',
  uninvited: 'signIn.uninvited',
  unavailable: 'signIn.unavailable',
};

/** Returns the reason in the address, and removes it. */
export function reasonIn(): Key | null {
  const [, code = ''] = /^#\/signed-out\/(\w+)$/.exec(location.hash) ?? [];
  const reason = Object.hasOwn(REASONS, code) ? REASONS[code] : undefined;
  if (reason === undefined) return null;
  history.replaceState(null, '', '#/');
  return reason;
}

/** Remembers where the person was. */
export function leaveForProvider(): void {
  sessionStorage.setItem(RETURN, location.hash);
}

/** Shows again where the person was before signing in elsewhere. */
export function comeBack(): void {
  const hash = sessionStorage.getItem(RETURN);
  sessionStorage.removeItem(RETURN);
  if (hash?.startsWith('#/') === true) location.hash = hash;
}
