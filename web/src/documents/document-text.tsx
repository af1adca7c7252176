import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { JSX } from 'preact';
import { useLoaded } from '../app/calls.js';
import { useSession } from '../app/session.js';
import { Nodes } from '../ask/answer-text.js';
import { Busy, ErrorNotice } from '../design/notices.js';
import { placeOf, type Span } from '../passages/marks.js';
import { PageImage } from '../passages/page-image.js';
import { placeOfChunk } from '../passages/place.js';
import { formOf, MAX_SHOWN, sourceTree } from '../source/source-text.js';
import { t } from '../language/translate.js';

interface DocumentTextProps {
  readonly id: string;
  /** Media type of the file. */
  readonly contentType: string;
  /** Version of the document. The text is loaded again when the version changes. */
  readonly version: number;
  /** The passage to show. */
  readonly chunkNumber: number | null;
  /** Text to highlight, from the passage or, after a search of page images, from the page. */
  readonly quote: string | null;
  /** Page of the quote; unset: the page of the passage. */
  readonly page: number | null;
  readonly hasImages: boolean;
}

interface Shown {
  readonly text: string | null;
  /** Whether the text is Markdown, and not too long to be rendered whole. */
  readonly isRendered: boolean;
  readonly passage: Span | null;
  readonly quote: Span | null;
  readonly page: number | null;
}

/** The full text with passage and quote highlighted and scrolled into view, beside the image of the page. */
export function DocumentText(props: DocumentTextProps): JSX.Element {
  const { id, version, contentType, chunkNumber, quote, hasImages } = props;
  const { client } = useSession();
  const shown = useLoaded<Shown>(
    async (signal) => {
      const sources = [{ document_id: id, chunk_number: chunkNumber ?? 0 }];
      const [text, [chunk]] = await Promise.all([
        client.text(id, { signal }),
        client.chunks({ sources }, { signal }),
      ]);
      const place = chunk === undefined || chunkNumber === null ? null : placeOfChunk(chunk);
      const passage = place?.span ?? null;
      const page = props.page ?? place?.page ?? null;
      const form = formOf(chunk?.content_type ?? 'text/plain', contentType);
      const isRendered = form === 'markdown' && text !== null && text.length <= MAX_SHOWN;
      const shown = { text, isRendered, page };
      if (text === null || quote === null) return { ...shown, passage, quote: null };
      const within = placeOf(text, quote, passage ?? undefined);
      if (within !== null) return { ...shown, passage, quote: within };
      const elsewhere = placeOf(text, quote);
      return { ...shown, passage: elsewhere === null ? passage : null, quote: elsewhere };
    },
    [id, version, chunkNumber, quote, props.page],
  );
  const article = useRef<HTMLElement>(null);
  useEffect(() => {
    article.current?.querySelector('[data-quote], [data-passage]')?.scrollIntoView({ block: 'center' });
  }, [shown.value]);
  if (shown.value === null) {
    return shown.error === null ? (
      <Busy>{t('text.loading')}</Busy>
    ) : (
      <ErrorNotice error={shown.error} onRetry={shown.reload} />
    );
  }
  const { text, isRendered, passage, page } = shown.value;
  if (text === null || text === '') return <p class="muted">{t('text.none')}</p>;
  const withImage = hasImages && page !== null;
  return (
    <div class={withImage ? 'text-and-page' : ''}>
      <article
        ref={article}
        class={isRendered ? 'document-text answer-text source-text' : 'document-text'}
        aria-label={t('text.label')}
        dir="auto"
      >
        {isRendered ? (
          <Rendered text={text} marked={shown.value.quote ?? passage} />
        ) : (
          <Marked text={text} passage={passage} quote={shown.value.quote} />
        )}
      </article>
      {withImage && <PageBeside id={id} page={page} />}
    </div>
  );
}

function Rendered({ text, marked }: { readonly text: string; readonly marked: Span | null }): JSX.Element {
  const quote = marked === null ? null : text.slice(marked.start, marked.end);
  const nodes = useMemo(() => sourceTree(text, 'markdown', quote), [text, quote]);
  return <Nodes nodes={nodes} />;
}

interface MarkedProps {
  readonly text: string;
  readonly passage: Span | null;
  readonly quote: Span | null;
}

function Marked({ text, passage, quote }: MarkedProps): JSX.Element {
  if (passage === null && quote === null) return <>{text}</>;
  const whole = passage ?? quote ?? { start: 0, end: 0 };
  const mark = quote ?? { start: whole.start, end: whole.start };
  return (
    <>
      {text.slice(0, whole.start)}
      <span class="passage" data-passage>
        {text.slice(whole.start, mark.start)}
        {quote !== null && <mark data-quote>{text.slice(mark.start, mark.end)}</mark>}
        {text.slice(mark.end, whole.end)}
      </span>
      {text.slice(whole.end)}
    </>
  );
}

function PageBeside({ id, page }: { readonly id: string; readonly page: number }): JSX.Element {
  const { client } = useSession();
  const images = useLoaded(
    (signal) =>
      client.pageImages(
        { document_id: id, start_page: page, end_page: page, output_format: 'url' },
        { signal },
      ),
    [id, page],
  );
  const link = images.value?.pages[0];
  const name = t('text.page', { page });
  return (
    <aside class="page-beside" aria-label={name}>
      <p class="small muted">{name}</p>
      <ErrorNotice error={images.error} />
      <div class="page-frame">{link !== undefined && <PageImage link={link} name={name} />}</div>
    </aside>
  );
}
