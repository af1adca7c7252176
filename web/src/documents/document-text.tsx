import { useEffect, useRef } from 'preact/hooks';
import type { JSX } from 'preact';
import { useLoaded } from '../app/calls.js';
import { useSession } from '../app/session.js';
import { Busy, ErrorNotice } from '../design/notices.js';
import { placeOf, type Span } from '../passages/marks.js';
import { PageImage } from '../passages/page-image.js';
import { placeOfChunk } from '../passages/place.js';
import { t } from '../language/translate.js';

interface DocumentTextProps {
  readonly id: string;
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
  readonly passage: Span | null;
  readonly quote: Span | null;
  readonly page: number | null;
}

/** The full text with passage and quote highlighted and scrolled into view, beside the image of the page. */
export function DocumentText(props: DocumentTextProps): JSX.Element {
  const { id, version, chunkNumber, quote, hasImages } = props;
  const { client } = useSession();
  const shown = useLoaded<Shown>(
    async (signal) => {
      const sources = chunkNumber === null ? [] : [{ document_id: id, chunk_number: chunkNumber }];
      const [text, chunks] = await Promise.all([
        client.text(id, { signal }),
        sources.length === 0 ? [] : client.chunks({ sources }, { signal }),
      ]);
      const place = chunks[0] === undefined ? null : placeOfChunk(chunks[0]);
      const passage = place?.span ?? null;
      const page = props.page ?? place?.page ?? null;
      if (text === null || quote === null) return { text, passage, quote: null, page };
      const within = placeOf(text, quote, passage ?? undefined);
      if (within !== null) return { text, passage, quote: within, page };
      const elsewhere = placeOf(text, quote);
      return { text, passage: elsewhere === null ? passage : null, quote: elsewhere, page };
    },
    [id, version, chunkNumber, quote, props.page],
  );
  const target = useRef<HTMLElement>(null);
  useEffect(() => {
    target.current?.scrollIntoView({ block: 'center' });
  }, [shown.value]);
  if (shown.value === null) {
    return shown.error === null ? (
      <Busy>{t('text.loading')}</Busy>
    ) : (
      <ErrorNotice error={shown.error} onRetry={shown.reload} />
    );
  }
  const { text, passage, page } = shown.value;
  if (text === null || text === '') return <p class="muted">{t('text.none')}</p>;
  const withImage = hasImages && page !== null;
  return (
    <div class={withImage ? 'text-and-page' : ''}>
      <article class="document-text" aria-label={t('text.label')} dir="auto">
        {passage === null && shown.value.quote === null ? (
          text
        ) : (
          <Marked text={text} passage={passage} quote={shown.value.quote} target={target} />
        )}
      </article>
      {withImage && <PageBeside id={id} page={page} />}
    </div>
  );
}

interface MarkedProps {
  readonly text: string;
  readonly passage: Span | null;
  readonly quote: Span | null;
  readonly target: { readonly current: HTMLElement | null };
}

function Marked({ text, passage, quote, target }: MarkedProps): JSX.Element {
  const whole = passage ?? quote ?? { start: 0, end: 0 };
  const mark = quote ?? { start: whole.start, end: whole.start };
  return (
    <>
      {text.slice(0, whole.start)}
      <span class="passage" data-passage>
        {quote === null && <span ref={target} />}
        {text.slice(whole.start, mark.start)}
        {quote !== null && (
          <mark ref={target} data-quote>
            {text.slice(mark.start, mark.end)}
          </mark>
        )}
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
