import type { LecternClient } from '@lectern/client';
import { FacetStore, type FacetsOptions, type ShownFacets } from '@lectern/client/ui';
import { useOpened, useStore } from './use-store.js';

export type UsedFacets = ShownFacets & Pick<FacetStore, 'toggle' | 'clear' | 'reload'>;

/**
 * The choices of a filter, with counts. The functions stay the same ones.
 *
 * @param options fields, folder and a filter that always holds; they need not stay the same object
 */
export function useFacets(client: LecternClient, options: FacetsOptions = {}): UsedFacets {
  const store = useOpened(() => new FacetStore(client, options), client, options);
  const { toggle, clear, reload } = store;
  return { ...useStore(store), toggle, clear, reload };
}
