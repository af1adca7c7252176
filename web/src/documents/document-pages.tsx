import { useEffect, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { DocumentPages as Pages } from '../api/lectern.js';
import { useCall } from '../app/calls.js';
import { useSession } from '../app/session.js';
import { Busy, ErrorNotice } from '../design/notices.js';
import { PageImage } from '../passages/page-image.js';

/** Pages that are asked for at once. */
const AT_ONCE = 4;

/** The pages as images, a few at a time. @param first page to begin with, from 1 */
export function DocumentPages({ id, first }: { readonly id: string; readonly first: number }): JSX.Element {
  const { client } = useSession();
  const [links, setLinks] = useState<readonly string[]>([]);
  const more = useCall<[number], Pages>((signal, start) =>
    client.pageImages(
      { document_id: id, start_page: start, end_page: start + AT_ONCE - 1, output_format: 'url' },
      { signal },
    ),
  );
  const load = async (start: number): Promise<void> => {
    const found = await more.run(start);
    if (found !== null) setLinks((before) => (start === first ? found.pages : [...before, ...found.pages]));
  };
  useEffect(() => {
    void load(first);
  }, [id, first]);
  const next = first + links.length;
  const total = more.value?.total_pages ?? 0;
  return (
    <>
      <ol class="pages plain">
        {links.map((link, index) => (
          <li key={first + index}>
            <p class="small muted">
              Page {first + index} of {total}
            </p>
            <PageImage link={link} name={`Page ${first + index}`} />
          </li>
        ))}
      </ol>
      <ErrorNotice error={more.error} onRetry={() => void load(next)} />
      {more.running && <Busy>Loading pages…</Busy>}
      {!more.running && links.length > 0 && next <= total && (
        <button type="button" onClick={() => void load(next)}>
          Show more pages
        </button>
      )}
    </>
  );
}
