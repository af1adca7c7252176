import type { DocumentRecord } from '../api/lectern.js';
import type { Session } from '../app/session.js';
import type { ShownSource } from './place.js';

type Asking = Pick<Session, 'client' | 'ended' | 'ahead'>;

/** @param isAgain whether the record may have changed since it was requested */
export function recordOf(
  { client, ended, ahead }: Asking,
  id: string,
  isAgain = false,
): Promise<DocumentRecord> {
  if (isAgain) ahead.forget(`record ${id}`);
  return ahead.get(`record ${id}`, () => client.get(id, { signal: ended }));
}

export function imageOf({ client, ended, ahead }: Asking, id: string, page: number): Promise<Blob> {
  return ahead.get(`image ${id} ${page}`, () => client.pageImage(id, page, { signal: ended }));
}

type Places = Awaited<ReturnType<Session['client']['places']>>;

export function placesOf(asking: Asking, id: string, page: number, quote: string): Promise<Places> {
  const { client, ended, ahead } = asking;
  return ahead.get(placesName(id, page, quote), () => client.places(id, page, quote, { signal: ended }));
}

/** The places of a quotation on the page of the document that has most of it. */
export function foundPlacesOf(asking: Asking, id: string, page: number, quote: string): Promise<Places> {
  const { client, ended, ahead } = asking;
  return ahead.get(`found ${id} ${page} ${quote}`, async () => {
    const found = await client.places(id, page, quote, { signal: ended, anywhere: true });
    return ahead.get(placesName(id, found.page_number, quote), () => Promise.resolve(found));
  });
}

function placesName(id: string, page: number, quote: string): string {
  return `places ${id} ${page} ${quote}`;
}

/** Whether the service can draw the pages of a document. */
export function isDrawn({ system_metadata: system }: DocumentRecord): boolean {
  return system['page_view'] === 'drawn';
}

/** Whether the pages are drawn from a converted file. Passages then do not know their page. */
export function isConverted(record: DocumentRecord): boolean {
  const { content_type: type } = record;
  return isDrawn(record) && type !== 'application/pdf' && !type.startsWith('image/');
}

/** Whether a document has pages to show. */
export function hasPages({ system_metadata: system }: DocumentRecord): boolean {
  return typeof system['page_view'] === 'string';
}

/** The number of pages to show; null: not known yet, because the document has not been converted. */
export function pageCountOf(record: DocumentRecord): number | null {
  if (!isConverted(record)) return record.page_count;
  const drawn = record.system_metadata['drawn_page_count'];
  return typeof drawn === 'number' ? drawn : null;
}

/** Whether page images of the document are stored. */
export function hasPageImages({ system_metadata: system }: DocumentRecord): boolean {
  return system['use_colpali'] === true && typeof system['page_count'] === 'number';
}

/** Requests the data that the pane shows first, before the user opens the citation. */
export async function askAhead(
  asking: Asking,
  { id, page, quote }: ShownSource,
  filename: string | null,
): Promise<void> {
  const drawing = (at: number): Promise<unknown> =>
    Promise.all([imageOf(asking, id, at), quote === null ? null : placesOf(asking, id, at, quote)]);
  const isPdf = filename?.toLowerCase().endsWith('.pdf') === true;
  try {
    const drawn = isPdf && page !== null ? drawing(page) : null;
    const record = await recordOf(asking, id);
    if (isConverted(record) && quote !== null) {
      await imageOf(asking, id, (await foundPlacesOf(asking, id, page ?? 1, quote)).page_number);
    } else await (drawn ?? (isDrawn(record) ? drawing(page ?? 1) : null));
  } catch {
    // When the user opens the citation, the pane repeats the requests and shows the error.
  }
}
