import { useEffect, useRef, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { useLoaded } from '../app/calls.js';
import { useSession } from '../app/session.js';
import { Icon } from '../design/icon.js';
import { Busy, ErrorNotice } from '../design/notices.js';
import { imageOf, placesOf } from './source-data.js';
import type { ShownSource } from './place.js';

/** Zoom levels: the width of the page as a multiple of the pane's. */
const ZOOMS = [1, 1.25, 1.5, 2, 3];

interface PageViewProps {
  readonly source: ShownSource;
  readonly name: string;
  /** Number of pages of the document; null: not known yet. */
  readonly pageCount: number | null;
}

/** The image of a page with the quotation marked on it. */
export function PageView({ source, name, pageCount }: PageViewProps): JSX.Element {
  const cited = source.page ?? 1;
  const [page, setPage] = useState(cited);
  const [zoom, setZoom] = useState(0);
  useEffect(() => {
    setPage(cited);
  }, [source]);
  return (
    <>
      <div class="row page-tools" role="toolbar" aria-label="Page">
        <ToolButton icon="previous" label="Previous page" off={page <= 1} onClick={() => setPage(page - 1)} />
        <PageNumber page={page} pageCount={pageCount} onChoose={setPage} />
        <ToolButton
          icon="next"
          label="Next page"
          off={pageCount !== null && page >= pageCount}
          onClick={() => setPage(page + 1)}
        />
        {source.quote !== null && page !== cited && (
          <button type="button" class="small-button" onClick={() => setPage(cited)}>
            Back to the mark
          </button>
        )}
        <span class="tool-gap" />
        <ToolButton icon="minus" label="Zoom out" off={zoom === 0} onClick={() => setZoom(zoom - 1)} />
        <ToolButton
          icon="plus"
          label="Zoom in"
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
        Page{' '}
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
      {pageCount !== null && <span> of {pageCount}</span>}
      <span class="visually-hidden" role="status">
        Page {page}
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
}

function Sheet({ id, page, quote, name, zoom }: SheetProps): JSX.Element {
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
      {quote !== null && places?.length === 0 && (
        <p class="small muted">The sentence was not found on this page. See the tab “Text”.</p>
      )}
      <div ref={frame} class="page-sheet-frame" tabIndex={0} role="group" aria-label="Page, scrollable">
        {url === null && image.error === null && <Busy>Drawing the page…</Busy>}
        {url !== null && (
          <div class="page-sheet" style={{ width: `${zoom * 100}%` }}>
            <img src={url} alt={`Page ${page} of ${name}`} onLoad={toMark} />
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
