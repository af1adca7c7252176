import type { LecternClient } from '@lectern/client';
import { DocumentListStore, type DocumentListOptions, type ShownDocumentList } from '@lectern/client/ui';
import { useOpened, useStore } from './use-store.js';

export type UsedDocuments = ShownDocumentList & Pick<DocumentListStore, 'more' | 'reload' | 'remove'>;

/**
 * The newest documents, which follow what happens to them. The functions stay the same ones.
 *
 * @param options filters, folder and number of documents; they need not stay the same object
 */
export function useDocuments(client: LecternClient, options: DocumentListOptions = {}): UsedDocuments {
  const store = useOpened(() => new DocumentListStore(client, options), client, options);
  const { more, reload, remove } = store;
  return { ...useStore(store), more, reload, remove };
}
