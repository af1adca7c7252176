import { useEffect, useReducer, useRef } from 'preact/hooks';
import { LecternError } from '../api/lectern.js';
import { KEY_REFUSED } from '../app/calls.js';
import { useSession } from '../app/session.js';
import { DocumentList, PAGE_SIZE } from './document-list.js';
import { windowOf, type ListQuery } from './list-query.js';
import { stateOf } from './record.js';

/** Interval between requests while documents in view are being processed. */
const POLL_MS = 2_000;
const KEPT = 'documents.list';

export interface ShownList {
  /**
   * The list of the query or, while this list loads, the previous list of the same folder. null: there is no list to
   * show.
   */
  readonly list: DocumentList | null;
  /** Whether the shown list is the previous list. */
  readonly isComing: boolean;
  readonly error: unknown;
  readonly refresh: () => void;
}

/** Documents by folder, name, state and order; kept while other views are open. */
export function useDocumentList(query: ListQuery): ShownList {
  const { client, signOut, kept } = useSession();
  const [, update] = useReducer<number, undefined>((changes) => changes + 1, 0);
  const shown = useRef<DocumentList | null>(null);
  const before = kept.get(KEPT) as DocumentList | undefined;
  const list =
    before?.key === JSON.stringify(query)
      ? before
      : new DocumentList(query, async (skip, signal) => {
          const found = await client.listing({ ...windowOf(query), skip, limit: PAGE_SIZE, signal });
          return { documents: found.documents, total: found.total_count ?? 0 };
        });
  kept.set(KEPT, list);
  if (list.total !== null || shown.current?.query.folder !== query.folder) shown.current = list;
  useEffect(() => {
    const unsubscribe = list.subscribe(() => {
      update(undefined);
      if (list.error instanceof LecternError && list.error.status === 401) signOut(KEY_REFUSED);
    });
    list.refresh();
    const timer = setInterval(() => {
      if (list.inView().some((one) => stateOf(one) === 'processing')) list.refresh();
    }, POLL_MS);
    return () => {
      clearInterval(timer);
      unsubscribe();
    };
  }, [list]);
  return {
    list: shown.current.total === null ? null : shown.current,
    isComing: shown.current !== list && list.error === null,
    error: list.error,
    refresh: () => {
      list.refresh();
    },
  };
}
