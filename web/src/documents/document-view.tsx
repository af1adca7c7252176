import { useEffect, useMemo, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { DocumentRecord } from '../api/lectern.js';
import { useLoaded } from '../app/calls.js';
import { usePageTitle } from '../app/page-title.js';
import { hrefOf } from '../app/router.js';
import { useSession } from '../app/session.js';
import { Icon } from '../design/icon.js';
import { Busy } from '../design/notices.js';
import { Tabs } from '../design/tabs.js';
import { PageView } from '../source/page-view.js';
import { isDrawn } from '../source/source-data.js';
import { RequestCode } from '../requests/request-code.js';
import { counted, documentRequests } from './describe.js';
import { DocumentActions } from './document-actions.js';
import { DocumentChunks } from './document-chunks.js';
import { DocumentDetails } from './document-details.js';
import { DocumentText } from './document-text.js';
import { mayChange, PrivateMark } from './ownership.js';
import { RecordError } from './record-error.js';
import { ago, stateOf, textOf, typeInWords } from './record.js';
import { StateBadge } from './state-badge.js';

interface DocumentViewProps {
  readonly id: string;
  /** `chunk` selects the passage to show, `quote` the text, and `page` the page. */
  readonly params: URLSearchParams;
}

const LOOK_AGAIN_MS = 1_500;

const PARTS = ['text', 'pages', 'passages', 'details'] as const;
type Part = (typeof PARTS)[number];

/** A document: text with the selected passage, pages, passages, and metadata. */
export function DocumentView({ id, params }: DocumentViewProps): JSX.Element {
  const { client, holder } = useSession();
  const record = useLoaded((signal) => client.get(id, { signal }), [id]);
  const [chosen, setChosen] = useState<{ readonly part: Part; readonly among: URLSearchParams } | null>(null);
  const wanted = chosen?.among === params ? chosen.part : partOf(params); // a new URL selects the part again
  const choose = (one: Part): void => {
    setChosen({ part: one, among: params });
    // Puts the part into the URL for reloads and shared links. Adds no history entry, so that Back leaves the document.
    history.replaceState(null, '', hrefOf('documents', id, { ...Object.fromEntries(params), part: one }));
  };
  const document = record.value;
  const state = document === null ? null : stateOf(document);
  const title = document === null ? null : (document.filename ?? id);
  usePageTitle(title);
  useEffect(() => {
    if (state !== 'processing') return;
    const timer = setInterval(record.reload, LOOK_AGAIN_MS);
    return () => {
      clearInterval(timer);
    };
  }, [state, record.reload]);
  const system = document?.system_metadata;
  // `use_colpali` can be set for any file, but only formats with pages have page images.
  const hasImages = system?.['use_colpali'] === true && typeof system['page_count'] === 'number';
  const hasPages = hasImages || (document !== null && isDrawn(document));
  const part = wanted === 'pages' && document !== null && !hasPages ? 'passages' : wanted;
  const source = useMemo(
    () => ({
      id,
      chunk: numberOf(params.get('chunk')) ?? 0,
      page: numberOf(params.get('page')),
      quote: params.get('quote'),
    }),
    [id, params],
  );
  return (
    <>
      <p class="crumb">
        <a href={hrefOf('documents', null, { folder: document?.folder_path ?? null })}>
          <Icon name="back" /> {document?.folder_path ?? 'Documents'}
        </a>
      </p>
      <RecordError error={record.error} onRetry={record.reload} />
      {document === null && record.error === null && <Busy>Loading the document…</Busy>}
      {document !== null && state !== null && (
        <>
          <div class="row spread document-head">
            <h1>{document.filename ?? id}</h1>
            <div class="row">
              <PrivateMark document={document} />
              <StateBadge state={state} />
            </div>
          </div>
          <p class="muted small facts">{factsOf(document)}</p>
          <DocumentActions document={document} onChange={record.reload} />
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
              ...(hasPages ? [{ name: 'pages' as const, label: 'Pages' }] : []),
              { name: 'passages', label: 'Passages' },
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
            {part === 'pages' && (
              <div class="document-page">
                <PageView source={source} name={title ?? id} pageCount={document.page_count} />
              </div>
            )}
            {part === 'passages' && (
              <DocumentChunks
                id={id}
                count={Number(document.system_metadata['chunk_count'])}
                onShow={() => {
                  choose('text');
                }}
              />
            )}
            {part === 'details' && <DocumentDetails document={document} onChange={record.reload} />}
          </Tabs>
          <RequestCode
            title="This document"
            requests={documentRequests(id, hasImages, mayChange(holder, document))}
          />
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
  const some = (count: unknown, noun: string): string[] =>
    typeof count === 'number' ? [counted(count, noun)] : [];
  return [
    typeInWords(type),
    ...some(system['page_count'], 'page'),
    ...some(system['chunk_count'], 'passage'),
    `version ${String(system['version'])}`,
    `changed ${ago(system['updated_at'])}`,
  ].join(' · ');
}
