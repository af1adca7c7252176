import { useEffect, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { ListedDocument } from '../api/lectern.js';
import { useLoaded } from '../app/calls.js';
import { hrefOf } from '../app/router.js';
import { useSession } from '../app/session.js';
import { Busy, EmptyState, ErrorNotice } from '../design/notices.js';
import { RequestCode } from '../requests/request-code.js';
import { listRequest, nameRequest } from './describe.js';
import { FolderTree } from './folder-tree.js';
import { stateOf, textOf, when } from './record.js';
import { StateBadge } from './state-badge.js';
import { UploadPanel } from './upload-panel.js';

const PAGE_SIZE = 25;
/** Of a search by name, which has no pages. */
const MOST_FOUND = 100;
/** Documents that are being read are looked at again. */
const LOOK_AGAIN_MS = 2_000;
/** Typing is over. */
const PAUSE_MS = 250;

const FIELDS = ['filename', 'folder_path', 'content_type', 'system_metadata'];

interface Listing {
  readonly documents: readonly ListedDocument[];
  readonly total: number;
  readonly hasMore: boolean;
}

/** What is there, by folder and by name, and the way in for more. */
export function Documents({ folder }: { readonly folder: string | null }): JSX.Element {
  const { client } = useSession();
  const [typed, setTyped] = useState('');
  const [name, setName] = useState('');
  const [completedOnly, setCompletedOnly] = useState(false);
  const [skip, setSkip] = useState(0);
  useEffect(() => {
    const timer = setTimeout(() => {
      setName(typed.trim());
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [typed]);
  useEffect(() => {
    setSkip(0);
  }, [folder, completedOnly, name]);

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
    limit: MOST_FOUND,
    ...(folder === null ? {} : { folder_name: [folder], folder_depth: -1 }),
  };
  const listing = useLoaded<Listing>(
    async (signal) => {
      if (name !== '') {
        const found = await client.searchDocuments(naming, { signal });
        const documents = completedOnly
          ? found.filter(({ system_metadata: { status } }) => status === 'completed')
          : found;
        return { documents, total: documents.length, hasMore: false };
      }
      const scope = folder === null ? {} : { folder_name: [folder] };
      const page = await client.listing({ ...window, ...scope, signal });
      return { documents: page.documents, total: page.total_count ?? 0, hasMore: page.has_more };
    },
    [name, folder, completedOnly, skip],
  );
  const reload = (): void => {
    folders.reload();
    listing.reload();
  };
  const isWorking = listing.value?.documents.some((one) => stateOf(one) === 'processing') === true;
  useEffect(() => {
    if (!isWorking) return;
    const timer = setInterval(listing.reload, LOOK_AGAIN_MS);
    return () => {
      clearInterval(timer);
    };
  }, [isWorking, listing.reload]);

  const paths = folders.value ?? [];
  return (
    <>
      <h1>Documents</h1>
      <UploadPanel folder={folder} folders={paths.map(({ full_path: path }) => path)} onSettled={reload} />
      <div class={paths.length === 0 ? 'browse' : 'browse with-folders'}>
        {paths.length > 0 && <FolderTree folders={paths} current={folder} />}
        <section aria-label="Documents" class="card flush">
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
          {listing.value === null && listing.error === null && <Busy>Loading documents…</Busy>}
          {listing.value !== null && (
            <DocumentTable
              listing={listing.value}
              skip={skip}
              onSkip={setSkip}
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

function Nothing({ name, folder }: { readonly name: string; readonly folder: string | null }): JSX.Element {
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
        Drop files above to add some, or go back to <a href={hrefOf('documents')}>all documents</a>.
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
  readonly skip: number;
  readonly onSkip: (skip: number) => void;
  readonly nothing: JSX.Element;
}

function DocumentTable({ listing, skip, onSkip, nothing }: DocumentTableProps): JSX.Element {
  const { documents, total, hasMore } = listing;
  if (documents.length === 0 && skip === 0) return nothing;
  return (
    <>
      <table class="documents">
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
          {documents.map((one) => (
            <tr key={one.external_id}>
              <td class="name">
                <a href={hrefOf('documents', one.external_id)}>{one.filename ?? one.external_id}</a>
              </td>
              <td class="muted folder">{one.folder_path ?? ''}</td>
              <td>
                <StateBadge state={stateOf(one)} />
              </td>
              <td class="number muted passages">{textOf(one.system_metadata?.['chunk_count'])}</td>
              <td class="muted changed">{when(one.system_metadata?.['updated_at'])}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <div class="pager">
        <span class="small muted" role="status">
          {skip + 1} to {skip + documents.length} of {total}
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
