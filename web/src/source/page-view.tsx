import { useEffect, useRef, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { type DocumentRecord, LecternError } from '../api/lectern.js';
import { useLoaded } from '../app/calls.js';
import { useSession } from '../app/session.js';
import { Icon } from '../design/icon.js';
import { Busy, ErrorNotice } from '../design/notices.js';
import { foundPlacesOf, imageOf, isConverted, pageCountOf, placesOf } from './source-data.js';
import type { ShownSource } from './place.js';
import { t } from '../language/translate.js';

/** Zoom levels: the width of the page as a multiple of the pane's. */
const ZOOMS = [1, 1.25, 1.5, 2, 3];

interface PageViewProps {
  readonly source: ShownSource;
  readonly name: string;
  readonly document: DocumentRecord;
  /** Called if the record has changed because the document was converted, or could not be converted. */
  readonly onChange: () => void;
  /** Called if no page of a converted document has the quotation, for example because it is a note of the speaker. */
  readonly onNotFound: () => void;
}

/** The image of a page with the quotation marked on it. */
export function PageView(props: PageViewProps): JSX.Element {
  const { source, document, onChange } = props;
  const cited = source.page ?? 1;
  const pageCount = pageCountOf(document);
  const settled = (error: unknown): void => {
    if (isConverted(document) && (error === null ? pageCount === null : isGone(error))) onChange();
  };
  if (source.quote === null || !isConverted(document)) {
    return <Pages {...props} cited={cited} pageCount={pageCount} onSettled={settled} />;
  }
  return (
    <FoundPages {...props} cited={cited} quote={source.quote} pageCount={pageCount} onSettled={settled} />
  );
}

function isGone(error: unknown): boolean {
  return error instanceof LecternError && error.status === 404;
}

interface PagesProps extends Pick<PageViewProps, 'source' | 'name'> {
  /** The page that is shown first. */
  readonly cited: number;
  /** Number of pages of the document; null: not known yet. */
  readonly pageCount: number | null;
  /** Called when a page is drawn, with null, or cannot be drawn. */
  readonly onSettled: (error: unknown) => void;
}

interface FoundPagesProps extends PagesProps, Pick<PageViewProps, 'onNotFound'> {
  readonly quote: string;
}

/** The pages of a converted document. The service looks for the page of the quotation. */
function FoundPages({ quote, onNotFound, ...props }: FoundPagesProps): JSX.Element {
  const { source, cited, pageCount, onSettled } = props;
  const session = useSession();
  const { value, error } = useLoaded(
    async () => ({ source, ...(await foundPlacesOf(session, source.id, cited, quote)) }),
    [source],
  );
  useEffect(() => {
    if (error !== null) onSettled(error);
    else if (value?.places.length === 0) onNotFound();
  }, [value, error]);
  if (error === null && value?.source !== source) return <Busy>{t('source.drawing')}</Busy>;
  return <Pages {...props} cited={value?.page_number ?? cited} pageCount={value?.page_count ?? pageCount} />;
}

function Pages({ source, name, cited, pageCount, onSettled }: PagesProps): JSX.Element {
  const [page, setPage] = useState(cited);
  const [zoom, setZoom] = useState(0);
  useEffect(() => {
    setPage(cited);
  }, [source, cited]);
  return (
    <>
      <div class="row page-tools" role="toolbar" aria-label={t('source.page')}>
        <ToolButton
          icon="previous"
          label={t('source.previous')}
          off={page <= 1}
          onClick={() => setPage(page - 1)}
        />
        <PageNumber page={page} pageCount={pageCount} onChoose={setPage} />
        <ToolButton
          icon="next"
          label={t('source.next')}
          off={pageCount !== null && page >= pageCount}
          onClick={() => setPage(page + 1)}
        />
        {source.quote !== null && page !== cited && (
          <button type="button" class="small-button" onClick={() => setPage(cited)}>
            {t('source.backToMark')}
          </button>
        )}
        <span class="tool-gap" />
        <ToolButton
          icon="minus"
          label={t('source.zoomOut')}
          off={zoom === 0}
          onClick={() => setZoom(zoom - 1)}
        />
        <ToolButton
          icon="plus"
          label={t('source.zoomIn')}
          off={zoom === ZOOMS.length - 1}
          onClick={() => setZoom(zoom + 1)}
        />
      </div>
      <Sheet
        id={source.id}
        page={page}
        quote={page === cited ? source.quote : null}
        name={name}
        zoom={ZOOMS[zoom] ?? 1}
        onSettled={onSettled}
      />
    </>
  );
}

interface PageNumberProps {
  readonly page: number;
  readonly pageCount: number | null;
  readonly onChoose: (page: number) => void;
}

/** The page number, which the user can change. If no page has the number that the user enters, the field is reset. */
function PageNumber({ page, pageCount, onChoose }: PageNumberProps): JSX.Element {
  return (
    <span class="small page-number">
      <label>
        {t('source.page')}{' '}
        <input
          inputMode="numeric"
          autocomplete="off"
          value={page}
          onFocus={(event) => {
            event.currentTarget.select();
          }}
          onChange={(event) => {
            const { value } = event.currentTarget;
            const number = /^\d+$/.test(value) ? Number(value) : 0;
            if (number >= 1 && number <= (pageCount ?? Infinity)) onChoose(number);
            else event.currentTarget.value = String(page);
          }}
        />
      </label>
      {pageCount !== null && <span> {t('source.ofPages', { count: pageCount })}</span>}
      <span class="visually-hidden" role="status">
        {t('text.page', { page })}
      </span>
    </span>
  );
}

interface ToolButtonProps {
  readonly icon: 'previous' | 'next' | 'minus' | 'plus';
  readonly label: string;
  readonly off: boolean;
  readonly onClick: () => void;
}

/** Stays focusable when disabled, so that the keyboard focus is not lost on the first and last page. */
function ToolButton({ icon, label, off, onClick }: ToolButtonProps): JSX.Element {
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={label}
      title={label}
      aria-disabled={off}
      onClick={() => {
        if (!off) onClick();
      }}
    >
      <Icon name={icon} />
    </button>
  );
}

interface SheetProps {
  readonly id: string;
  readonly page: number;
  readonly quote: string | null;
  readonly name: string;
  readonly zoom: number;
  readonly onSettled: PagesProps['onSettled'];
}

function Sheet({ id, page, quote, name, zoom, onSettled }: SheetProps): JSX.Element {
  const session = useSession();
  const frame = useRef<HTMLDivElement>(null);
  const first = useRef<HTMLSpanElement>(null);
  const image = useLoaded(async () => ({ page, blob: await imageOf(session, id, page) }), [id, page]);
  const found = useLoaded(
    async () => ({
      page,
      quote,
      ...(quote === null ? NOTHING : await placesOf(session, id, page, quote)),
    }),
    [id, page, quote],
  );
  useEffect(() => {
    if (image.value !== null || image.error !== null) onSettled(image.error);
  }, [image.value, image.error]);
  const [url, setUrl] = useState<string | null>(null);
  const { value } = image;
  const shown = value?.page === page ? value.blob : null;
  useEffect(() => {
    if (shown === null) return;
    const made = URL.createObjectURL(shown);
    setUrl(made);
    return () => {
      URL.revokeObjectURL(made);
      setUrl(null);
    };
  }, [shown]);
  const places = found.value?.page === page && found.value.quote === quote ? found.value.places : null;
  const toMark = (): void => {
    const [box, mark] = [frame.current, first.current];
    if (box === null) return;
    box.scrollTo({
      top: mark === null ? 0 : mark.offsetTop - box.clientHeight / 3,
      left: mark === null ? 0 : mark.offsetLeft - box.clientWidth / 4,
    });
  };
  useEffect(toMark, [places, url, zoom]);
  return (
    <>
      <ErrorNotice error={image.error} onRetry={image.reload} />
      {quote !== null && places?.length === 0 && <p class="small muted">{t('source.notOnPage')}</p>}
      <div
        ref={frame}
        class="page-sheet-frame"
        tabIndex={0}
        role="group"
        aria-label={t('source.pageFrame')}
        dir="ltr"
      >
        {url === null && image.error === null && <Busy>{t('source.drawing')}</Busy>}
        {url !== null && (
          <div class="page-sheet" style={{ width: `${zoom * 100}%` }}>
            <img src={url} alt={t('source.imageOf', { page, name })} onLoad={toMark} />
            {(places ?? []).map((place, index) => (
              <span
                key={index}
                ref={index === 0 ? first : null}
                class="page-mark"
                data-mark
                style={{
                  left: percent(place.left),
                  top: percent(place.top),
                  width: percent(place.width),
                  height: percent(place.height),
                }}
              />
            ))}
          </div>
        )}
      </div>
    </>
  );
}

const NOTHING = { places: [] };

function percent(share: number): string {
  return `${(share * 100).toFixed(3)}%`;
}
