import type { Store } from '@lectern/client/ui';
import { onScopeDispose, shallowReadonly, shallowRef, type ShallowRef } from 'vue';

/** The state of a store as a ref, until the scope ends. */
export function useStore<State extends object>(store: Store<State>): Readonly<ShallowRef<State>> {
  const state = shallowRef(store.get());
  onScopeDispose(
    store.subscribe(() => {
      state.value = store.get();
    }),
  );
  return shallowReadonly(state);
}
