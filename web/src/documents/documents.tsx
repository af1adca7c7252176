import { useEffect, useRef, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { FolderCount, ListedDocument } from '../api/lectern.js';
import { useCall, useLoaded } from '../app/calls.js';
import { useKept } from '../app/kept.js';
import { hrefOf } from '../app/router.js';
import { useSession } from '../app/session.js';
import { useThrottled } from '../app/use-throttled.js';
import { Busy, EmptyState, ErrorNotice, Skeleton } from '../design/notices.js';
import { RequestCode } from '../requests/request-code.js';
import { counted, listRequest } from './describe.js';
import type { DocumentList } from './document-list.js';
import type { Chosen } from './document-row.js';
import { DocumentTable } from './document-table.js';
import { FolderActions } from './folder-actions.js';
import { FolderTree } from './folder-tree.js';
import { foldersIn } from './folders-in.js';
import { countOf, ORDERS, selectionOf, STATES, type ListQuery, type Order } from './list-query.js';
import { LoadDemo } from './load-demo.js';
import type { DocumentState } from './record.js';
import { SelectionBar } from './selection-bar.js';
import { UploadPanel } from './upload-panel.js';
import { useDocumentList } from './use-document-list.js';

/** Delay before a search while typing. */
const TYPING_DELAY_MS = 250;
/** Minimum time between two reloads while files are added. */
const RELOAD_MS = 1_000;
/** Documents per request when all documents of the list are selected. */
const IDS_AT_ONCE = 1_000;

/** Maximum number of folders in the tree, besides the subfolders of the open folder. */
const FOLDERS_SHOWN = 1_000;

/** Documents by folder and name, and the upload panel. */
export function Documents({ folder }: { readonly folder: string | null }): JSX.Element {
  const { client, holder } = useSession();
  const person = holder.changesOnlyOf;
  const [typed, setTyped] = useKept('documents.name', '');
  const [name, setName] = useState(typed.trim());
  const [state, setState] = useKept<DocumentState | null>('documents.state', null);
  const [order, setOrder] = useKept<Order>('documents.order', 'Changed last');
  const [chosen, setChosen] = useState<Chosen>(new Map());
  useEffect(() => {
    const timer = setTimeout(() => {
      setName(typed.trim());
    }, TYPING_DELAY_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [typed]);

  const query: ListQuery = { folder, name, state, order };
  // Shows the folders of the last visit until the folders are loaded, so that the document rows do not move.
  const [paths, setPaths] = useKept<readonly FolderCount[]>('documents.folders', []);
  const isCut = paths.length >= FOLDERS_SHOWN;
  const folders = useLoaded(
    async (signal) => {
      const first = await client.folders.counts({ limit: FOLDERS_SHOWN, signal });
      const isEnough = first.length < FOLDERS_SHOWN || folder === null;
      const below = isEnough ? [] : await client.folders.counts({ parent: folder, signal });
      setPaths(joined(first, below));
    },
    [isCut ? folder : null],
  );
  const { list, isComing, error, refresh } = useDocumentList(query);
  const asked = JSON.stringify({ ...query, order: null });
  const own = useOwnCount(query, asked);
  const total = own.isLimited ? own.count : (list?.total ?? null);
  const isLimited = own.isLimited && own.count !== list?.total;
  /** Selects all documents that the list has now. Documents that are added later are not selected. */
  const selectAll = useCall(async (signal) => {
    const all = new Map<string, ListedDocument>();
    const listed = {
      ...selectionOf(query),
      ...(person === null ? {} : { end_user_id: person }),
      fields: ['filename', 'folder_path', 'end_user_id', 'status'],
      pageSize: IDS_AT_ONCE,
    };
    for await (const document of client.list({ ...listed, signal })) all.set(document.external_id, document);
    setChosen(all);
  });
  useEffect(() => {
    selectAll.stop();
    setChosen(new Map()); // the list changed: actions must not affect documents that it does not show
  }, [asked]);
  const section = useRef<HTMLElement>(null);
  const before = useRef(list?.key);
  useEffect(() => {
    const top = section.current?.getBoundingClientRect().top ?? 0;
    const isOther = before.current !== undefined && before.current !== list?.key;
    if (isOther && top < 0) section.current?.scrollIntoView();
    if (list !== null) before.current = list.key;
  }, [list?.key]);
  const reload = useThrottled(() => {
    folders.reload();
    own.reload();
    refresh();
  }, RELOAD_MS);

  const names = paths.map(({ full_path: path }) => path);
  const below = name === '' ? foldersIn(folder, paths) : [];
  const canWrite = holder.can('write');
  const [changes, setChanges] = useState(0);
  const reloadChanged = (): void => {
    setChanges((before) => before + 1);
    reload();
  };
  const changed = (): void => {
    setChosen(new Map());
    reloadChanged();
  };
  const onSelectAll = (): void => {
    void selectAll.run();
  };
  const isEmpty = list?.total === 0 && below.length === 0 && !isComing;
  return (
    <>
      <h1>Documents</h1>
      <OutOfVocabularyHint />
      {canWrite && <UploadPanel folder={folder} folders={names} changes={changes} onStep={reload} />}
      <div class={paths.length === 0 ? 'browse' : 'browse with-folders'}>
        {paths.length > 0 && <FolderTree folders={paths} current={folder} isCut={isCut} />}
        <section ref={section} aria-label="Documents" class="card flush listing">
          <div class="toolbar">
            <input
              type="search"
              aria-label="Search by file name"
              placeholder="Search by file name"
              maxLength={200}
              value={typed}
              onInput={(event) => {
                setTyped(event.currentTarget.value);
              }}
            />
            <label class="order">
              <span class="visually-hidden">State</span>
              <select
                value={state ?? ''}
                onChange={(event) => {
                  setState(STATES.find(([, one]) => (one ?? '') === event.currentTarget.value)?.[1] ?? null);
                }}
              >
                {STATES.map(([words, one]) => (
                  <option key={words} value={one ?? ''}>
                    {words}
                  </option>
                ))}
              </select>
            </label>
            <label class="order">
              <span class="visually-hidden">Order</span>
              <select
                value={order}
                onChange={(event) => {
                  setOrder(event.currentTarget.value as Order);
                }}
              >
                {Object.keys(ORDERS).map((words) => (
                  <option key={words}>{words}</option>
                ))}
              </select>
            </label>
          </div>
          <div class="row spread list-head">
            <span class="small muted" role="status">
              {list !== null && (isComing ? 'Loading…' : countText(list, below.length > 0))}
            </span>
            {canWrite && <FolderActions folder={folder} folders={paths} onChange={reloadChanged} />}
          </div>
          {canWrite && person !== null && (
            <p class="small muted list-owners">
              You can change documents marked private; administrators see them too. All others are shared, and
              only administrators can change them.
            </p>
          )}
          <div class="list-notices">
            {(chosen.size > 0 || selectAll.running) && list !== null && (
              <SelectionBar
                chosen={chosen}
                total={total ?? 0}
                isLimited={isLimited}
                folders={names}
                isSelectingAll={selectAll.running}
                onSelectAll={onSelectAll}
                onClear={() => {
                  setChosen(new Map());
                }}
                onChange={changed}
              />
            )}
            <ErrorNotice error={error ?? folders.error ?? selectAll.error} onRetry={reload} />
          </div>
          {list === null && error === null && <LoadingRows />}
          {isEmpty && <Nothing query={query} onLoaded={reload} />}
          {list !== null && !isEmpty && (
            <DocumentTable
              key={list.key}
              list={list}
              isComing={isComing}
              folders={below}
              selection={canWrite ? { chosen, total, isLimited, onChange: setChosen } : null}
              onSelectAll={onSelectAll}
            />
          )}
        </section>
      </div>
      <RequestCode title="This list" requests={[listRequest(query)]} />
    </>
  );
}

/** If the key may change only the documents of its person, counts these documents in the list. */
function useOwnCount(
  query: ListQuery,
  asked: string,
): { readonly isLimited: boolean; readonly count: number | null; readonly reload: () => void } {
  const { client, holder } = useSession();
  const person = holder.changesOnlyOf;
  const { value, reload } = useLoaded(
    async (signal) => {
      if (person === null || !holder.can('write')) return null;
      return countOf(client, person, selectionOf(query), signal);
    },
    [asked],
  );
  return { isLimited: person !== null, count: value, reload };
}

function LoadingRows(): JSX.Element {
  return (
    <div class="loading-rows">
      <Busy>Loading documents…</Busy>
      <Skeleton />
    </div>
  );
}

function countText({ total, query: { folder } }: DocumentList, hasFolders: boolean): string {
  if (total === 0) return folder === null || !hasFolders ? '' : 'No documents directly in this folder';
  return counted(total ?? 0, 'document');
}

/**
 * Warns operators if the embedding model cannot read the newest documents. The service reports this to operators only.
 */
function OutOfVocabularyHint(): JSX.Element | null {
  const { client } = useSession();
  const { value } = useLoaded((signal) => client.health({ signal }), []);
  const languages = value?.services.find(({ name }) => name === 'languages');
  if (languages?.status !== 'degraded') return null;
  return <p class="notice hint">{languages.message}.</p>;
}

interface NothingProps {
  readonly query: ListQuery;
  readonly onLoaded: () => void;
}

function Nothing({ query: { name, folder, state }, onLoaded }: NothingProps): JSX.Element {
  const { holder } = useSession();
  if (state !== null) {
    return (
      <EmptyState title="No document is in this state">
        Choose “All states” above to see the others.
      </EmptyState>
    );
  }
  if (name !== '') {
    return (
      <EmptyState title={`No file name has “${name}”`}>
        Try a part of the name. To search the texts of the documents, use{' '}
        <a href={hrefOf('search')}>Search</a>.
      </EmptyState>
    );
  }
  if (folder !== null) {
    return (
      <EmptyState title="This folder has no documents">
        {holder.can('write') ? 'Drop files above to add some, or go back to ' : 'Go back to '}
        <a href={hrefOf('documents')}>all documents</a>.
      </EmptyState>
    );
  }
  if (!holder.can('write')) {
    return (
      <EmptyState title="No documents yet">
        Your key may read documents, but not add any. They appear here as soon as somebody adds them.
      </EmptyState>
    );
  }
  return (
    <EmptyState title="No documents yet">
      <p>
        Drop a PDF into the field above. As soon as it is ready you can <a href={hrefOf('ask')}>ask</a> about
        it.
      </p>
      <LoadDemo onLoaded={onLoaded} />
    </EmptyState>
  );
}

/** Adds folders that are not among the first ones, and orders all by path. */
function joined(first: readonly FolderCount[], more: readonly FolderCount[]): FolderCount[] {
  const known = new Set(first.map(({ id }) => id));
  const all = [...first, ...more.filter(({ id }) => !known.has(id))];
  return more.length === 0
    ? all
    : all.sort(({ full_path: one }, { full_path: other }) => (one < other ? -1 : 1));
}
