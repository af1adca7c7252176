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
import { hasPageImages, hasPages, isConverted } from '../source/source-data.js';
import { RequestCode } from '../requests/request-code.js';
import { DocumentAccess } from '../who/access-panels.js';
import { documentRequests } from './describe.js';
import { DocumentActions } from './document-actions.js';
import { DocumentChunks } from './document-chunks.js';
import { DocumentDetails } from './document-details.js';
import { DocumentText } from './document-text.js';
import { mayChange, PrivateMark } from './ownership.js';
import { RecordError } from './record-error.js';
import { ago, stateOf, textOf, typeInWords } from './record.js';
import { StateBadge } from './state-badge.js';
import { t } from '../language/translate.js';

interface DocumentViewProps {
  readonly id: string;
  /** `chunk` selects the passage to show, `quote` the text, and `page` the page. */
  readonly params: URLSearchParams;
}

const LOOK_AGAIN_MS = 1_500;

const PARTS = ['text', 'pages', 'passages', 'details'] as const;
type Part = (typeof PARTS)[number];

/** A document: pages, text with the selected passage, passages, and metadata. Opens on its pages if it has some. */
export function DocumentView({ id, params }: DocumentViewProps): JSX.Element {
  const { client, holder } = useSession();
  const record = useLoaded((signal) => client.get(id, { signal }), [id]);
  const [chosen, setChosen] = useState<{ readonly part: Part; readonly among: URLSearchParams } | null>(null);
  const asked = chosen?.among === params ? chosen.part : partOf(params); // a new URL selects the part again
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
  const hasImages = document !== null && hasPageImages(document);
  const isPaged = document !== null && hasPages(document);
  const wanted =
    asked ??
    (isPaged && state === 'completed' && namesPage(params, isConverted(document)) ? 'pages' : 'text');
  const part = wanted === 'pages' && document !== null && !isPaged ? 'passages' : wanted;
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
        <a
          href={hrefOf('documents', null, { folder: document?.folder_path ?? null })}
          title={document?.folder_path ?? undefined}
        >
          <Icon name="back" /> <bdi>{document?.folder_path ?? t('view.documents')}</bdi>
        </a>
      </p>
      <RecordError error={record.error} onRetry={record.reload} />
      {document === null && record.error === null && <Busy>{t('document.loading')}</Busy>}
      {document !== null && state !== null && (
        <>
          <div class="row spread document-head">
            <h1>
              <bdi>{document.filename ?? id}</bdi>
            </h1>
            <div class="row">
              <PrivateMark document={document} />
              <StateBadge state={state} />
            </div>
          </div>
          <p class="muted small facts">{factsOf(document)}</p>
          <DocumentActions document={document} onChange={record.reload} />
          <DocumentAccess document={document} onChange={record.reload} />
          {state === 'failed' && (
            <div class="notice bad" role="alert" dir="auto">
              {textOf(document.system_metadata['error'])}
            </div>
          )}
          <Tabs
            label={t('document.parts')}
            id="document"
            tabs={[
              ...(isPaged ? [{ name: 'pages' as const, label: t('document.part.pages') }] : []),
              { name: 'text', label: t('document.part.text') },
              { name: 'passages', label: t('document.part.passages') },
              { name: 'details', label: t('document.part.details') },
            ]}
            chosen={part}
            onChoose={choose}
          >
            {part === 'text' && (
              <DocumentText
                id={id}
                contentType={document.content_type}
                version={Number(document.system_metadata['version'])}
                chunkNumber={numberOf(params.get('chunk'))}
                quote={params.get('quote')}
                page={numberOf(params.get('page'))}
                hasImages={hasImages}
              />
            )}
            {part === 'pages' && (
              <div class="document-page">
                <PageView
                  source={source}
                  name={title ?? id}
                  document={document}
                  onChange={record.reload}
                  onNotFound={() => {
                    if (asked === null) choose('text');
                  }}
                />
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
            title={t('document.this')}
            requests={documentRequests(id, hasImages, mayChange(holder, document))}
          />
        </>
      )}
    </>
  );
}

function partOf(params: URLSearchParams): Part | null {
  return PARTS.find((part) => part === params.get('part')) ?? null;
}

/**
 * Whether the pages show what a URL names: the document, a place whose page is known, or a quotation that is found on
 * the pages of a converted document.
 */
function namesPage(params: URLSearchParams, areSearched: boolean): boolean {
  return params.has('page') || !params.has('chunk') || (areSearched && params.has('quote'));
}

function numberOf(text: string | null): number | null {
  return text !== null && /^\d+$/.test(text) ? Number(text) : null;
}

function factsOf({ content_type: type, system_metadata: system }: DocumentRecord): string {
  const some = (count: unknown, noun: 'count.pages' | 'count.passages'): string[] =>
    typeof count === 'number' ? [t(noun, { count })] : [];
  return [
    typeInWords(type),
    ...some(system['page_count'], 'count.pages'),
    ...some(system['chunk_count'], 'count.passages'),
    t('document.version', { version: String(system['version']) }),
    t('document.changed', { time: ago(system['updated_at']) }),
  ].join(' · ');
}
