import { useEffect, useRef, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { DocumentRecord } from '../api/lectern.js';
import { useCall, useLoaded } from '../app/calls.js';
import { goTo, hrefOf } from '../app/router.js';
import { useSession } from '../app/session.js';
import { Icon } from '../design/icon.js';
import { Busy, ErrorNotice } from '../design/notices.js';
import { Tabs } from '../design/tabs.js';
import { RequestCode } from '../requests/request-code.js';
import { documentRequests } from './describe.js';
import { DocumentChunks } from './document-chunks.js';
import { DocumentPages } from './document-pages.js';
import { DocumentText } from './document-text.js';
import { moment, stateOf, textOf } from './record.js';
import { StateBadge } from './state-badge.js';

interface DocumentViewProps {
  readonly id: string;
  /** `chunk` and `quote` select what to show, `page` its page. */
  readonly params: URLSearchParams;
}

const LOOK_AGAIN_MS = 1_500;

const PARTS = ['text', 'pages', 'details'] as const;
type Part = (typeof PARTS)[number];

/** A document: text with the selected passage, pages, and metadata. */
export function DocumentView({ id, params }: DocumentViewProps): JSX.Element {
  const { client } = useSession();
  const record = useLoaded((signal) => client.get(id, { signal }), [id]);
  const [chosen, setChosen] = useState<{ readonly part: Part; readonly among: URLSearchParams } | null>(null);
  const part = chosen?.among === params ? chosen.part : partOf(params); // another URL starts with its own part
  const choose = (one: Part): void => {
    setChosen({ part: one, among: params });
    // Keeps the part for reloads and shared links without a history entry: Back leaves the document.
    history.replaceState(null, '', hrefOf('documents', id, { ...Object.fromEntries(params), part: one }));
  };
  const document = record.value;
  const state = document === null ? null : stateOf(document);
  const title = document === null ? null : (document.filename ?? id);
  useEffect(() => {
    if (title !== null) globalThis.document.title = `${title} · Lectern`;
  }, [title]);
  useEffect(() => {
    if (state !== 'processing') return;
    const timer = setInterval(record.reload, LOOK_AGAIN_MS);
    return () => {
      clearInterval(timer);
    };
  }, [state, record.reload]);
  const system = document?.system_metadata;
  // Any file may have been ingested with page images, but only formats with pages have some.
  const hasImages = system?.['use_colpali'] === true && typeof system['page_count'] === 'number';
  return (
    <>
      <p class="crumb">
        <a href={hrefOf('documents', null, { folder: document?.folder_path ?? null })}>
          <Icon name="back" /> {document?.folder_path ?? 'Documents'}
        </a>
      </p>
      <ErrorNotice error={record.error} onRetry={record.reload} />
      {document === null && record.error === null && <Busy>Loading the document…</Busy>}
      {document !== null && state !== null && (
        <>
          <div class="row spread document-head">
            <h1>{document.filename ?? id}</h1>
            <div class="row">
              <StateBadge state={state} />
              <Deletion document={document} />
            </div>
          </div>
          <p class="muted small facts">{factsOf(document)}</p>
          {state === 'failed' && (
            <div class="notice bad" role="alert">
              {textOf(document.system_metadata['error'])}
            </div>
          )}
          <Tabs
            label="Parts of the document"
            id="document"
            tabs={[
              { name: 'text', label: 'Text' },
              { name: 'pages', label: hasImages ? 'Pages' : 'Passages' },
              { name: 'details', label: 'Details' },
            ]}
            chosen={part}
            onChoose={choose}
          >
            {part === 'text' && (
              <DocumentText
                id={id}
                version={Number(document.system_metadata['version'])}
                chunkNumber={numberOf(params.get('chunk'))}
                quote={params.get('quote')}
                page={numberOf(params.get('page'))}
                hasImages={hasImages}
              />
            )}
            {part === 'pages' &&
              (hasImages ? (
                <DocumentPages id={id} first={numberOf(params.get('page')) ?? 1} />
              ) : (
                <DocumentChunks
                  id={id}
                  count={Number(document.system_metadata['chunk_count'])}
                  onShow={() => {
                    choose('text');
                  }}
                />
              ))}
            {part === 'details' && <Details document={document} />}
          </Tabs>
          <RequestCode title="This document" requests={documentRequests(id, hasImages)} />
        </>
      )}
    </>
  );
}

function partOf(params: URLSearchParams): Part {
  return PARTS.find((part) => part === params.get('part')) ?? 'text';
}

function numberOf(text: string | null): number | null {
  return text !== null && /^\d+$/.test(text) ? Number(text) : null;
}

function factsOf({ content_type: type, system_metadata: system }: DocumentRecord): string {
  const counted = (count: unknown, one: string, many: string): string[] =>
    typeof count === 'number' ? [`${count} ${count === 1 ? one : many}`] : [];
  return [
    type,
    ...counted(system['page_count'], 'page', 'pages'),
    ...counted(system['chunk_count'], 'passage', 'passages'),
    `version ${String(system['version'])}`,
    `changed ${moment(system['updated_at'])}`,
  ].join(' · ');
}

function Deletion({ document }: { readonly document: DocumentRecord }): JSX.Element {
  const { client } = useSession();
  const dialog = useRef<HTMLDialogElement>(null);
  const { external_id: id, filename, folder_path: folder } = document;
  const deletion = useCall((signal) => client.delete(id, { signal }));
  const remove = async (): Promise<void> => {
    if ((await deletion.run()) !== null) goTo(hrefOf('documents', null, { folder }));
  };
  return (
    <>
      <button type="button" onClick={() => dialog.current?.showModal()}>
        Delete…
      </button>
      <dialog ref={dialog} aria-labelledby="delete-title">
        <h2 id="delete-title">Delete {filename ?? 'this document'}?</h2>
        <p>Its text, passages, pages and files are deleted too. This cannot be undone.</p>
        <ErrorNotice error={deletion.error} />
        <div class="row end">
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <button type="button" class="danger" disabled={deletion.running} onClick={() => void remove()}>
            Delete
          </button>
        </div>
      </dialog>
    </>
  );
}

/** Fields of the record that the page does not show elsewhere. */
function Details({ document }: { readonly document: DocumentRecord }): JSX.Element {
  const { metadata, metadata_types: types, external_id: id } = document;
  const own = Object.entries(metadata).filter(([name]) => name !== 'external_id' && name !== 'folder_name');
  return (
    <>
      <h2>Metadata</h2>
      {own.length === 0 ? (
        <p class="muted">None. Filters use metadata; set it when you add a file.</p>
      ) : (
        <dl class="pairs">
          {own.map(([name, value]) => (
            <div key={name}>
              <dt>
                {name} <span class="muted small">{types[name]}</span>
              </dt>
              <dd>
                <Value value={value} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      <h2>Record</h2>
      <dl class="pairs">
        <div>
          <dt>Id</dt>
          <dd>
            <code>{id}</code>
          </dd>
        </div>
        {Object.entries({ ...document.system_metadata, ...document.additional_metadata }).map(
          ([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <Value value={value} />
              </dd>
            </div>
          ),
        )}
      </dl>
    </>
  );
}

/** Longer lists, such as of all pages, are collapsed. */
const LONG_LIST = 5;

function Value({ value }: { readonly value: unknown }): JSX.Element {
  if (!Array.isArray(value) || value.length <= LONG_LIST) return <>{textOf(value)}</>;
  return (
    <details>
      <summary>{value.length} entries</summary>
      {textOf(value)}
    </details>
  );
}
