import { useEffect, useRef, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { DocumentPages as Pages } from '../api/lectern.js';
import { useCall } from '../app/calls.js';
import { useSession } from '../app/session.js';
import { Busy, ErrorNotice } from '../design/notices.js';
import { PageImage } from '../passages/page-image.js';

/** Number of pages per request. */
const PAGES_PER_REQUEST = 4;

interface Loaded {
  /** Number of the first page, 1-based. */
  readonly start: number;
  readonly links: readonly string[];
  /** Page count of the document. */
  readonly total: number;
}

/** Page images, a few at a time. @param first initial page, 1-based */
export function DocumentPages({ id, first }: { readonly id: string; readonly first: number }): JSX.Element {
  const { client } = useSession();
  const [loaded, setLoaded] = useState<Loaded | null>(null);
  const more = useCall<[number, number], Pages>((signal, start, end) =>
    client.pageImages(
      { document_id: id, start_page: start, end_page: end, output_format: 'url' },
      { signal },
    ),
  );
  const asked = useRef(Math.max(1, first - 1));
  const load = async (start: number): Promise<void> => {
    asked.current = start;
    const end = loaded !== null && start < loaded.start ? loaded.start - 1 : start + PAGES_PER_REQUEST - 1;
    const found = await more.run(start, end);
    if (found === null) return;
    const { pages: links, total_pages: total } = found;
    setLoaded((before) => {
      if (before === null) return { start, links, total };
      return start < before.start
        ? { start, links: [...links, ...before.links], total }
        : { ...before, links: [...before.links, ...links], total };
    });
  };
  useEffect(() => {
    void load(asked.current);
  }, []);
  const { start, links, total } = loaded ?? { start: 1, links: [], total: 0 };
  const next = start + links.length;
  return (
    <>
      {start > 1 && (
        <p>
          <button type="button" onClick={() => void load(Math.max(1, start - PAGES_PER_REQUEST))}>
            Show earlier pages
          </button>
        </p>
      )}
      <ol class="pages plain">
        {links.map((link, index) => (
          <li key={start + index}>
            <p class="small muted">
              Page {start + index} of {total}
            </p>
            <PageImage link={link} name={`Page ${start + index}`} />
          </li>
        ))}
      </ol>
      <ErrorNotice error={more.error} onRetry={() => void load(asked.current)} />
      {more.running && <Busy>Loading pages…</Busy>}
      {loaded !== null && next <= total && (
        <button type="button" onClick={() => void load(next)}>
          Show later pages
        </button>
      )}
    </>
  );
}
