import { useEffect, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { useLoaded } from '../app/calls.js';
import { useKept } from '../app/kept.js';
import { hrefOf } from '../app/router.js';
import { useSession } from '../app/session.js';
import { Busy, EmptyState, ErrorNotice } from '../design/notices.js';
import { RequestCode } from '../requests/request-code.js';
import { listRequest, nameRequest } from './describe.js';
import { DocumentTable, PAGE_SIZE, type Listing } from './document-table.js';
import { FolderActions } from './folder-actions.js';
import { FolderTree } from './folder-tree.js';
import { foldersIn } from './folders-in.js';
import { stateOf } from './record.js';
import { LoadDemo } from './load-demo.js';
import { SelectionBar } from './selection-bar.js';
import { UploadPanel } from './upload-panel.js';
import { useScrollKept } from './use-scroll-kept.js';

/** Maximum number of results of a name search, which has no paging. */
const MAX_RESULTS = 100;
/** Poll interval of documents in progress. */
const POLL_MS = 2_000;
/** Delay before a search while typing. */
const TYPING_DELAY_MS = 250;

const FIELDS = ['filename', 'folder_path', 'content_type', 'system_metadata'];

/** Orders of the list, by the words that a user chooses. */
const ORDERS = {
  'Changed last': ['updated_at', 'desc'],
  'Changed first': ['updated_at', 'asc'],
  'Added last': ['created_at', 'desc'],
  'Added first': ['created_at', 'asc'],
  'Name, A to Z': ['filename', 'asc'],
  'Name, Z to A': ['filename', 'desc'],
} as const;
type Order = keyof typeof ORDERS;

/** Documents by folder and name, and the upload panel. */
export function Documents({ folder }: { readonly folder: string | null }): JSX.Element {
  const { client, holder } = useSession();
  const [typed, setTyped] = useKept('documents.name', '');
  const [name, setName] = useState(typed.trim());
  const [completedOnly, setCompletedOnly] = useKept('documents.completed-only', false);
  const [order, setOrder] = useKept<Order>('documents.order', 'Changed last');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const list = JSON.stringify([folder, completedOnly, name, order]);
  // Per list: another list starts at its first page.
  const [page, setPage] = useKept('documents.page', { list, skip: 0 });
  const skip = page.list === list ? page.skip : 0;
  const asked = `${list} ${skip}`;
  useEffect(() => {
    const timer = setTimeout(() => {
      setName(typed.trim());
    }, TYPING_DELAY_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [typed]);

  const folders = useLoaded((signal) => client.folders.counts({ signal }), []);
  const window = {
    skip,
    limit: PAGE_SIZE,
    include_total_count: true,
    sort_by: ORDERS[order][0],
    sort_direction: ORDERS[order][1],
    ...(completedOnly ? { completed_only: true } : {}),
    fields: FIELDS,
  };
  const naming = {
    query: name,
    limit: MAX_RESULTS,
    ...(folder === null ? {} : { folder_name: [folder], folder_depth: -1 }),
  };
  const listing = useLoaded<Listing>(
    async (signal) => {
      if (name !== '') {
        const found = await client.searchDocuments(naming, { signal });
        const documents = completedOnly
          ? found.filter(({ system_metadata: { status } }) => status === 'completed')
          : found;
        return { documents, total: documents.length, hasMore: false, folder, asked };
      }
      const scope = folder === null ? {} : { folder_name: [folder] };
      const found = await client.listing({ ...window, ...scope, signal });
      const { documents, total_count: total, has_more: hasMore } = found;
      return { documents, total: total ?? 0, hasMore, folder, asked };
    },
    [asked],
  );
  // Hides rows of the previous folder while the next one loads.
  const shown = listing.value?.folder === folder ? listing.value : null;
  const isComing = listing.error === null && listing.value?.asked !== asked;
  useEffect(() => {
    setChosen(new Set()); // actions apply to visible rows only
  }, [asked]);
  useScrollKept('documents.scroll', asked, shown !== null);
  const reload = (): void => {
    folders.reload();
    listing.reload();
  };
  const isWorking = listing.value?.documents.some((one) => stateOf(one) === 'processing') === true;
  useEffect(() => {
    if (!isWorking) return;
    const timer = setInterval(listing.reload, POLL_MS);
    return () => {
      clearInterval(timer);
    };
  }, [isWorking, listing.reload]);

  const paths = folders.value ?? [];
  const names = paths.map(({ full_path: path }) => path);
  const canWrite = holder.can('write');
  const selected = shown?.documents.filter(({ external_id: id }) => chosen.has(id)) ?? [];
  const changed = (): void => {
    setChosen(new Set());
    reload();
  };
  return (
    <>
      <h1>Documents</h1>
      <OutOfVocabularyHint />
      {canWrite && <UploadPanel folder={folder} folders={names} onStep={reload} />}
      <div class={paths.length === 0 ? 'browse' : 'browse with-folders'}>
        {paths.length > 0 && <FolderTree folders={paths} current={folder} />}
        <section aria-label="Documents" class="card flush listing">
          <div class="toolbar">
            <input
              type="search"
              aria-label="Search by file name"
              placeholder="Search by file name"
              value={typed}
              onInput={(event) => {
                setTyped(event.currentTarget.value);
              }}
            />
            <label class="check">
              <input
                type="checkbox"
                checked={completedOnly}
                onChange={(event) => {
                  setCompletedOnly(event.currentTarget.checked);
                }}
              />
              Ready only
            </label>
            {name === '' && (
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
            )}
          </div>
          {canWrite && <FolderActions folder={folder} folders={paths} onChange={reload} />}
          {selected.length > 0 && (
            <SelectionBar
              documents={selected}
              folders={names}
              onClear={() => {
                setChosen(new Set());
              }}
              onChange={changed}
            />
          )}
          <ErrorNotice error={listing.error ?? folders.error} onRetry={reload} />
          {shown === null && listing.error === null && <Busy>Loading documents…</Busy>}
          {shown !== null && (
            <DocumentTable
              listing={shown}
              isComing={isComing}
              folders={name === '' && skip === 0 ? foldersIn(folder, paths) : []}
              skip={skip}
              onSkip={(to) => {
                setPage({ list, skip: to });
              }}
              selection={canWrite ? { ids: chosen, onChange: setChosen } : null}
              nothing={<Nothing name={name} folder={folder} onLoaded={reload} />}
            />
          )}
        </section>
      </div>
      <RequestCode
        title="This list"
        requests={[name === '' ? listRequest(window, folder) : nameRequest(naming)]}
      />
    </>
  );
}

/**
 * Warns operators that documents are outside the vocabulary of the embedding model. Other users cannot query this.
 */
function OutOfVocabularyHint(): JSX.Element | null {
  const { client } = useSession();
  const { value } = useLoaded((signal) => client.health({ signal }), []);
  const languages = value?.services.find(({ name }) => name === 'languages');
  if (languages?.status !== 'degraded') return null;
  return <p class="notice hint">{languages.message}.</p>;
}

interface NothingProps {
  readonly name: string;
  readonly folder: string | null;
  readonly onLoaded: () => void;
}

function Nothing({ name, folder, onLoaded }: NothingProps): JSX.Element {
  const { holder } = useSession();
  if (name !== '') {
    return (
      <EmptyState title={`No file name has “${name}”`}>
        Try a part of the name. To look into the documents, <a href={hrefOf('search')}>search passages</a>.
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
        Your key reads documents and adds none. They appear here as soon as somebody adds them.
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
