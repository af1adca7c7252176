import { useEffect, useState, useSyncExternalStore } from 'react';
import type { LecternClient } from '@lectern/client';
import type { Store } from '@lectern/client/ui';

/** The state of a store; renders after each change. */
export function useStore<State extends object>({ subscribe, get }: Store<State>): State {
  return useSyncExternalStore(subscribe, get, get);
}

interface Openable<Options> {
  configure(client: LecternClient, options: Options): void;
  readonly open: () => void;
  readonly close: () => void;
}

/** A store that is open while the component is mounted, with the client and the options of the last render. */
export function useOpened<Opened extends Openable<Options>, Options>(
  make: () => Opened,
  client: LecternClient,
  options: Options,
): Opened {
  const [store] = useState(make);
  useEffect(() => {
    store.configure(client, options);
  });
  useEffect(() => {
    store.open();
    return store.close;
  }, [store]);
  return store;
}
