import type { JSX } from 'preact';
import type { ListedDocument } from '../api/lectern.js';
import { hrefOf } from '../app/router.js';
import { Icon } from '../design/icon.js';
import { counted } from './describe.js';
import type { FolderBelow } from './folders-in.js';
import { ago, moment, stateOf, textOf, typeInWords } from './record.js';
import { StateBadge } from './state-badge.js';

/** Rows per page. */
export const PAGE_SIZE = 25;

export interface Listing {
  readonly documents: readonly ListedDocument[];
  readonly total: number;
  readonly hasMore: boolean;
  readonly folder: string | null;
  /** Parameters of the request. */
  readonly asked: string;
}

/** The selected documents of a listing. */
export interface Selection {
  readonly ids: ReadonlySet<string>;
  readonly onChange: (ids: ReadonlySet<string>) => void;
}

interface DocumentTableProps {
  readonly listing: Listing;
  /** Whether the rows are being replaced. */
  readonly isComing: boolean;
  /** Folder rows above the document rows. */
  readonly folders: readonly FolderBelow[];
  readonly skip: number;
  readonly onSkip: (skip: number) => void;
  /** null: the key cannot change documents. */
  readonly selection: Selection | null;
  readonly nothing: JSX.Element;
}

export function DocumentTable(props: DocumentTableProps): JSX.Element {
  const { listing, isComing, folders, skip, onSkip, selection, nothing } = props;
  const { documents, total, hasMore } = listing;
  if (documents.length === 0 && folders.length === 0 && skip === 0) return nothing;
  return (
    <>
      <table class={selection === null ? 'documents' : 'documents selectable'} aria-busy={isComing}>
        <thead>
          <tr>
            {selection !== null && (
              <th scope="col" class="choice">
                <SelectAll documents={documents} selection={selection} />
              </th>
            )}
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
            <FolderRow key={one.path} folder={one} hasChoice={selection !== null} />
          ))}
          {documents.map((one) => (
            <DocumentRow key={one.external_id} document={one} selection={selection} />
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

interface SelectAllProps {
  readonly documents: readonly ListedDocument[];
  readonly selection: Selection;
}

function SelectAll({ documents, selection: { ids, onChange } }: SelectAllProps): JSX.Element {
  const all = documents.map(({ external_id: id }) => id);
  const isAll = all.length > 0 && all.every((id) => ids.has(id));
  return (
    <input
      type="checkbox"
      aria-label="Select all on this page"
      checked={isAll}
      onChange={() => {
        onChange(new Set(isAll ? [] : all));
      }}
    />
  );
}

function windowText(skip: number, count: number, total: number): string {
  if (count > 0) return `${skip + 1} to ${skip + count} of ${total}`;
  return skip === 0 ? 'No documents directly in this folder' : 'No documents on this page';
}

interface FolderRowProps {
  readonly folder: FolderBelow;
  readonly hasChoice: boolean;
}

function FolderRow({ folder: { path, name, count }, hasChoice }: FolderRowProps): JSX.Element {
  return (
    <tr>
      {hasChoice && <td class="choice" />}
      <td class="name">
        <a class="folder-link" href={hrefOf('documents', null, { folder: path })}>
          <Icon name="folder" /> {name}
        </a>
      </td>
      <td class="muted" colSpan={4}>
        {counted(count, 'document')}
      </td>
    </tr>
  );
}

interface DocumentRowProps {
  readonly document: ListedDocument;
  readonly selection: Selection | null;
}

function DocumentRow({ document, selection }: DocumentRowProps): JSX.Element {
  const {
    external_id: id,
    filename,
    folder_path: folder,
    content_type: type,
    system_metadata: system,
  } = document;
  const name = filename ?? id;
  return (
    <tr>
      {selection !== null && (
        <td class="choice">
          <input
            type="checkbox"
            aria-label={`Select ${name}`}
            checked={selection.ids.has(id)}
            onChange={(event) => {
              const ids = new Set(selection.ids);
              if (event.currentTarget.checked) ids.add(id);
              else ids.delete(id);
              selection.onChange(ids);
            }}
          />
        </td>
      )}
      <td class="name">
        <a href={hrefOf('documents', id)}>{name}</a>
        <span class="type small muted">{typeInWords(type)}</span>
      </td>
      <td class="muted folder">{folder ?? ''}</td>
      <td class="state">
        <StateBadge state={stateOf(document)} />
      </td>
      <td class="number muted passages">{textOf(system?.['chunk_count'])}</td>
      <td class="muted changed" title={moment(system?.['updated_at'])}>
        {ago(system?.['updated_at'])}
      </td>
    </tr>
  );
}
