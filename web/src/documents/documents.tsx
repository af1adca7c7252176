import { useEffect, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { ListedDocument } from '../api/lectern.js';
import { useLoaded } from '../app/calls.js';
import { useKept } from '../app/kept.js';
import { hrefOf } from '../app/router.js';
import { useSession } from '../app/session.js';
import { Icon } from '../design/icon.js';
import { Busy, EmptyState, ErrorNotice } from '../design/notices.js';
import { RequestCode } from '../requests/request-code.js';
import { listRequest, nameRequest } from './describe.js';
import { FolderTree } from './folder-tree.js';
import { foldersIn, type FolderBelow } from './folders-in.js';
import { stateOf, textOf, when } from './record.js';
import { StateBadge } from './state-badge.js';
import { UploadPanel } from './upload-panel.js';
import { useScrollKept } from './use-scroll-kept.js';

const PAGE_SIZE = 25;
/** Maximum number of results of a name search, which has no paging. */
const MAX_RESULTS = 100;
/** Poll interval of documents in progress. */
const POLL_MS = 2_000;
/** Delay before a search while typing. */
const TYPING_DELAY_MS = 250;

const FIELDS = ['filename', 'folder_path', 'content_type', 'system_metadata'];

interface Listing {
  readonly documents: readonly ListedDocument[];
  readonly total: number;
  readonly hasMore: boolean;
  readonly folder: string | null;
  /** Parameters of the request. */
  readonly asked: string;
}

/** Documents by folder and name, and the upload panel. */
export function Documents({ folder }: { readonly folder: string | null }): JSX.Element {
  const { client, holder } = useSession();
  const [typed, setTyped] = useKept('documents.name', '');
  const [name, setName] = useState(typed.trim());
  const [completedOnly, setCompletedOnly] = useKept('documents.completed-only', false);
  const list = JSON.stringify([folder, completedOnly, name]);
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
  return (
    <>
      <h1>Documents</h1>
      <OutOfVocabularyHint />
      {holder.can('write') && (
        <UploadPanel folder={folder} folders={paths.map(({ full_path: path }) => path)} onStep={reload} />
      )}
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
          </div>
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
              nothing={<Nothing name={name} folder={folder} />}
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
 * Warns operators that documents are outside the vocabulary of the embedding model; others do not get this information.
 */
function OutOfVocabularyHint(): JSX.Element | null {
  const { client } = useSession();
  const { value } = useLoaded((signal) => client.health({ signal }), []);
  const languages = value?.services.find(({ name }) => name === 'languages');
  if (languages?.status !== 'degraded') return null;
  return <p class="notice hint">{languages.message}.</p>;
}

function Nothing({ name, folder }: { readonly name: string; readonly folder: string | null }): JSX.Element {
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
      Drop a PDF into the field above. As soon as it is ready you can <a href={hrefOf('search')}>search</a> it
      and <a href={hrefOf('ask')}>ask</a> about it.
    </EmptyState>
  );
}

interface DocumentTableProps {
  readonly listing: Listing;
  /** Whether the rows are being replaced. */
  readonly isComing: boolean;
  /** Folder rows above the document rows. */
  readonly folders: readonly FolderBelow[];
  readonly skip: number;
  readonly onSkip: (skip: number) => void;
  readonly nothing: JSX.Element;
}

function DocumentTable(props: DocumentTableProps): JSX.Element {
  const { listing, isComing, folders, skip, onSkip, nothing } = props;
  const { documents, total, hasMore } = listing;
  if (documents.length === 0 && folders.length === 0 && skip === 0) return nothing;
  return (
    <>
      <table class="documents" aria-busy={isComing}>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Folder</th>
            <th scope="col">State</th>
            <th scope="col" class="number">
              Passages
            </th>
            <th scope="col">Changed</th>
          </tr>
        </thead>
        <tbody>
          {folders.map((one) => (
            <FolderRow key={one.path} folder={one} />
          ))}
          {documents.map((one) => (
            <DocumentRow key={one.external_id} document={one} />
          ))}
        </tbody>
      </table>
      <div class="pager">
        <span class="small muted" role="status">
          {isComing ? 'Loading…' : windowText(skip, documents.length, total)}
        </span>
        <span class="row">
          <button
            type="button"
            disabled={skip === 0}
            onClick={() => {
              onSkip(Math.max(0, skip - PAGE_SIZE));
            }}
          >
            Previous
          </button>
          <button
            type="button"
            disabled={!hasMore}
            onClick={() => {
              onSkip(skip + PAGE_SIZE);
            }}
          >
            Next
          </button>
        </span>
      </div>
    </>
  );
}

function windowText(skip: number, count: number, total: number): string {
  if (count > 0) return `${skip + 1} to ${skip + count} of ${total}`;
  return skip === 0 ? 'No documents directly in this folder' : 'No documents on this page';
}

function FolderRow({ folder }: { readonly folder: FolderBelow }): JSX.Element {
  const { path, name, count } = folder;
  return (
    <tr>
      <td class="name">
        <a class="folder-link" href={hrefOf('documents', null, { folder: path })}>
          <Icon name="folder" /> {name}
        </a>
      </td>
      <td class="muted" colSpan={4}>
        {count} {count === 1 ? 'document' : 'documents'}
      </td>
    </tr>
  );
}

function DocumentRow({ document }: { readonly document: ListedDocument }): JSX.Element {
  const { external_id: id, filename, folder_path: folder, system_metadata: system } = document;
  return (
    <tr>
      <td class="name">
        <a href={hrefOf('documents', id)}>{filename ?? id}</a>
      </td>
      <td class="muted folder">{folder ?? ''}</td>
      <td>
        <StateBadge state={stateOf(document)} />
      </td>
      <td class="number muted passages">{textOf(system?.['chunk_count'])}</td>
      <td class="muted changed">{when(system?.['updated_at'])}</td>
    </tr>
  );
}
