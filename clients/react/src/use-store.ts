import { useSyncExternalStore } from 'react';
import type { Store } from '@lectern/client/ui';

/** The state of a store; renders after each change. */
export function useStore<State extends object>({ subscribe, get }: Store<State>): State {
  return useSyncExternalStore(subscribe, get, get);
}
