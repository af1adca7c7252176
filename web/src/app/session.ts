import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { LecternClient } from '../api/lectern.js';

/** What the views share: the client with its key, and what they keep while another one is shown. */
export interface Session {
  readonly client: LecternClient;
  /** Whether a key is needed at all (AUTH_MODE). */
  readonly needsKey: boolean;
  readonly holder: Holder;
  /** Leaves; `reason` is shown beside the form that asks for another key. */
  readonly signOut: (reason?: string) => void;
  /** Given when somebody has left: what goes on beside the views stops. */
  readonly ended: AbortSignal;
  readonly kept: Map<string, unknown>;
}

export type Permission = 'read' | 'query' | 'write' | 'admin';

/** What the key says of itself. The service decides; the pages only leave out what it would refuse. */
export interface Holder {
  /** The person whom the key belongs to. */
  readonly person: string | null;
  readonly can: (permission: Permission) => boolean;
}

/** @param key null, or opaque as ADMIN_KEY is: an administrator */
export function holderOf(key: string | null): Holder {
  const { end_user_id: person, scopes } = claimsOf(key ?? '');
  return {
    person: typeof person === 'string' ? person : null,
    can: (permission) => !Array.isArray(scopes) || scopes.includes('admin') || scopes.includes(permission),
  };
}

/** The claims of a key, which is a JWT; none where it is something else. */
function claimsOf(key: string): { readonly end_user_id?: unknown; readonly scopes?: unknown } {
  const [, payload = ''] = key.split('.');
  try {
    const bytes = Uint8Array.from(atob(payload.replaceAll('-', '+').replaceAll('_', '/')), (letter) =>
      letter.charCodeAt(0),
    );
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof claims === 'object' && claims !== null ? claims : {};
  } catch {
    return {}; // no JWT
  }
}

export const SessionContext = createContext<Session | null>(null);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('there is no session here');
  return session;
}

export const needsKey = document.documentElement.dataset['authMode'] !== 'none';

export function clientWith(key: string | null): LecternClient {
  return new LecternClient({ url: location.origin, ...(key === null ? {} : { key }) });
}

const STORED = 'lectern.key';

export function storedKey(): string | null {
  return sessionStorage.getItem(STORED) ?? localStorage.getItem(STORED);
}

/** @param stay whether it outlives the tab */
export function storeKey(key: string, stay: boolean): void {
  (stay ? localStorage : sessionStorage).setItem(STORED, key);
}

export function forgetKey(): void {
  sessionStorage.removeItem(STORED);
  localStorage.removeItem(STORED);
}
