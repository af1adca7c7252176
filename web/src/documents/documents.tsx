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
import { listRequest } from './describe.js';
import type { DocumentList } from './document-list.js';
import type { Chosen } from './document-row.js';
import { DocumentTable } from './document-table.js';
import { FolderActions } from './folder-actions.js';
import { FolderTree } from './folder-tree.js';
import { countsBelow, foldersIn } from './folders-in.js';
import { countOf, ORDERS, selectionOf, STATES, type ListQuery, type Order } from './list-query.js';
import { LoadDemo } from './load-demo.js';
import { MissingFolder, useOpenFolder } from './open-folder.js';
import type { DocumentState } from './record.js';
import { SelectionBar } from './selection-bar.js';
import { UploadPanel } from './upload-panel.js';
import { useDocumentList } from './use-document-list.js';
import { FolderAccess } from '../who/access-panels.js';
import { rich, t } from '../language/translate.js';

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
  const [isShared, setShared] = useKept('documents.shared', false);
  const [order, setOrder] = useKept<Order>('documents.order', 'changedLast');
  const [chosen, setChosen] = useState<Chosen>(new Map());
  useEffect(() => {
    const timer = setTimeout(() => {
      setName(typed.trim());
    }, TYPING_DELAY_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [typed]);

  const query: ListQuery = { folder, name, state, isShared, order };
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
  const inFolder = folder === null ? 0 : (countsBelow(paths).get(folder) ?? 0);
  const { open, isMissing: isFolderMissing, reload: reloadFolder } = useOpenFolder(folder, inFolder);
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
      fields: ['filename', 'folder_path', 'end_user_id', 'access_control', 'status'],
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
  const below = name === '' && !isShared ? foldersIn(folder, paths) : [];
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
      <h1>{t('view.documents')}</h1>
      <OutOfVocabularyHint />
      {canWrite && (
        <UploadPanel
          folder={folder}
          folders={names}
          isFolderMissing={isFolderMissing}
          onFolderMissing={() => {
            reloadFolder();
            reload();
          }}
          changes={changes}
          onStep={reload}
        />
      )}
      <div class={paths.length === 0 ? 'browse' : 'browse with-folders'}>
        {paths.length > 0 && <FolderTree folders={paths} current={folder} isCut={isCut} />}
        {isFolderMissing ? (
          <section aria-label={t('view.documents')} class="card flush listing">
            <MissingFolder />
          </section>
        ) : (
          <section ref={section} aria-label={t('view.documents')} class="card flush listing">
            <div class="toolbar">
              <input
                type="search"
                dir="auto"
                aria-label={t('documents.searchByName')}
                placeholder={t('documents.searchByName')}
                maxLength={200}
                value={typed}
                onInput={(event) => {
                  setTyped(event.currentTarget.value);
                }}
              />
              {holder.person !== null && (
                <label class="check">
                  <input
                    type="checkbox"
                    checked={isShared}
                    onChange={(event) => {
                      setShared(event.currentTarget.checked);
                    }}
                  />
                  {t('documents.sharedWithMe')}
                </label>
              )}
              <label class="order">
                <span class="visually-hidden">{t('table.state')}</span>
                <select
                  value={state ?? 'all'}
                  onChange={(event) => {
                    const { value } = event.currentTarget;
                    setState(STATES.find((one) => one === value) ?? null);
                  }}
                >
                  {(['all', ...STATES] as const).map((one) => (
                    <option key={one} value={one}>
                      {t(`documents.state.${one}`)}
                    </option>
                  ))}
                </select>
              </label>
              <label class="order">
                <span class="visually-hidden">{t('documents.order')}</span>
                <select
                  value={order}
                  onChange={(event) => {
                    setOrder(event.currentTarget.value as Order);
                  }}
                >
                  {(Object.keys(ORDERS) as Order[]).map((one) => (
                    <option key={one} value={one}>
                      {t(`documents.order.${one}`)}
                    </option>
                  ))}
                </select>
              </label>
            </div>
            <div class="row spread list-head">
              <span class="small muted" role="status">
                {list !== null && (isComing ? t('action.loading') : countText(list, below.length > 0))}
              </span>
              {canWrite && (
                <FolderActions folder={folder} open={open} count={inFolder} onChange={reloadChanged} />
              )}
            </div>
            {folder !== null && <FolderAccess key={folder} folder={folder} onChange={reloadChanged} />}
            {canWrite && person !== null && <p class="small muted list-owners">{t('documents.owners')}</p>}
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
        )}
      </div>
      <RequestCode title={t('documents.thisList')} requests={[listRequest(query)]} />
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
      <Busy>{t('documents.loading')}</Busy>
      <Skeleton />
    </div>
  );
}

function countText({ total, query: { folder } }: DocumentList, hasFolders: boolean): string {
  if (total === 0) return folder === null || !hasFolders ? '' : t('documents.noneDirectly');
  return t('count.documents', { count: total ?? 0 });
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

function Nothing({ query: { name, folder, state, isShared }, onLoaded }: NothingProps): JSX.Element {
  const { holder } = useSession();
  if (state !== null) {
    return <EmptyState title={t('documents.noneInState')}>{t('documents.noneInStateHint')}</EmptyState>;
  }
  if (name !== '') {
    return (
      <EmptyState title={t('documents.noName', { name })}>
        {rich('documents.noNameHint', { a: (parts) => <a href={hrefOf('search')}>{parts}</a> })}
      </EmptyState>
    );
  }
  if (isShared) {
    return <EmptyState title={t('documents.noneShared')}>{t('documents.noneSharedHint')}</EmptyState>;
  }
  if (folder !== null) {
    return (
      <EmptyState title={t('documents.folderEmpty')}>
        {rich(holder.can('write') ? 'documents.folderEmptyAdd' : 'documents.folderEmptyBack', {
          a: (parts) => <a href={hrefOf('documents')}>{parts}</a>,
        })}
      </EmptyState>
    );
  }
  if (!holder.can('write')) {
    return <EmptyState title={t('ask.noDocuments')}>{t('documents.mayNotAdd')}</EmptyState>;
  }
  return (
    <EmptyState title={t('ask.noDocuments')}>
      <p>{rich('documents.dropFirst', { a: (parts) => <a href={hrefOf('ask')}>{parts}</a> })}</p>
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
