import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { LecternClient, type SessionInfo } from '../api/lectern.js';
import type { Conversations } from '../ask/conversations.js';
import type { Key } from '../language/words.js';
import type { Names } from '../names/names.js';
import type { Ahead } from '../source/ahead.js';
import { tellReached } from './reached.js';

/** State shared by all views: the client with its key, and values kept between views. */
export interface Session {
  readonly client: LecternClient;
  /** A client without retries for the upload queue, which repeats requests itself and shows that files are waiting. */
  readonly uploadClient: LecternClient;
  /** Whether a key is required (AUTH_MODE). */
  readonly needsKey: boolean;
  readonly holder: Holder;
  /** How this browser is signed in without a key in the page; null: with a key, or no key is required. */
  readonly browser: SessionInfo | null;
  /** Signs out; the text of `reason` is shown at the sign-in form. */
  readonly signOut: (reason?: Key) => void;
  /** Aborts on sign-out, to stop background work. */
  readonly ended: AbortSignal;
  readonly kept: Map<string, unknown>;
  readonly conversations: Conversations;
  /** Names of people and groups. */
  readonly names: Names;
  /** Sources that are loaded before they are opened. */
  readonly ahead: Ahead;
}

export type Permission = 'read' | 'query' | 'write' | 'admin';

/** Claims of the key. The service enforces permissions; the pages only hide actions that the service would refuse. */
export interface Holder {
  /** The person to whom the key belongs. */
  readonly person: string | null;
  /** The name of the person for people; null: not known. */
  readonly name: string | null;
  /** Id of the key; null if the key is opaque. */
  readonly keyId: string | null;
  readonly can: (permission: Permission) => boolean;
  /**
   * The person whose documents are the only ones that the key may change. null: the key may change every document that
   * it can read, or it may change no documents.
   */
  readonly changesOnlyOf: string | null;
}

/** Returns the claims of a key. A key that is null or opaque, such as ADMIN_KEY, gets all permissions. */
export function holderOf(key: string | null): Holder {
  const { end_user_id: person, scopes, jti: id } = claimsOf(key ?? '');
  const can = (permission: Permission): boolean =>
    !Array.isArray(scopes) || scopes.includes('admin') || scopes.includes(permission);
  const holder = typeof person === 'string' ? person : null;
  const keyId = typeof id === 'string' ? id : null;
  return { person: holder, name: null, keyId, can, changesOnlyOf: can('admin') ? null : holder };
}

/** Returns the rights of a person who is signed in without a key in the page. */
export function holderOfSession({ end_user_id: person, name, scopes, key_id: keyId }: SessionInfo): Holder {
  const can = (permission: Permission): boolean => scopes.includes('admin') || scopes.includes(permission);
  return { person, name, keyId, can, changesOnlyOf: can('admin') ? null : person };
}

/** The claims of a key; an empty object if the key is not a JWT. */
function claimsOf(key: string): Readonly<Partial<Record<'end_user_id' | 'scopes' | 'jti', unknown>>> {
  const [, payload = ''] = key.split('.');
  try {
    const bytes = Uint8Array.from(atob(payload.replaceAll('-', '+').replaceAll('_', '/')), (letter) =>
      letter.charCodeAt(0),
    );
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof claims === 'object' && claims !== null ? claims : {};
  } catch {
    return {};
  }
}

export const SessionContext = createContext<Session | null>(null);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('a session exists only after signing in');
  return session;
}

/** Name of the identity provider at which people sign in; null: there is none. */
export const providerName = ((name) => (name === '' ? null : name))(
  document.documentElement.dataset['provider'] ?? '',
);

export const needsKey = document.documentElement.dataset['authMode'] !== 'none';

/** @param retries number of retries; unset: the client's default */
export function clientWith(key: string | null, retries?: number): LecternClient {
  return new LecternClient({
    url: location.origin,
    ...(key === null ? {} : { key }),
    // In a browser the client reports the progress of an upload only without a custom `fetch`.
    ...(retries === undefined ? { fetch: tellingFetch } : { retry: { retries } }),
  });
}

const STORED = 'lectern.key';

export function storedKey(): string | null {
  return sessionStorage.getItem(STORED) ?? localStorage.getItem(STORED);
}

/** @param stay whether to keep the key after the tab is closed */
export function storeKey(key: string, stay: boolean): void {
  (stay ? localStorage : sessionStorage).setItem(STORED, key);
}

export function forgetKey(): void {
  sessionStorage.removeItem(STORED);
  localStorage.removeItem(STORED);
}

async function tellingFetch(request: Request): Promise<Response> {
  const response = await fetch(request);
  if (response.status < 500) tellReached();
  return response;
}
