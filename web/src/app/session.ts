import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { LecternClient } from '../api/lectern.js';

/** What the views share: the client with its key, and what they keep while another one is shown. */
export interface Session {
  readonly client: LecternClient;
  /** Whether a key is needed at all (AUTH_MODE). */
  readonly needsKey: boolean;
  /** Leaves; `reason` is shown beside the form that asks for another key. */
  readonly signOut: (reason?: string) => void;
  /** Given when somebody has left: what goes on beside the views stops. */
  readonly ended: AbortSignal;
  readonly kept: Map<string, unknown>;
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
