import type { DocumentRecord } from '../api/lectern.js';
import type { Session } from '../app/session.js';
import type { ShownSource } from './place.js';

type Asking = Pick<Session, 'client' | 'ended' | 'ahead'>;

export function recordOf({ client, ended, ahead }: Asking, id: string): Promise<DocumentRecord> {
  return ahead.get(`record ${id}`, () => client.get(id, { signal: ended }));
}

export function imageOf({ client, ended, ahead }: Asking, id: string, page: number): Promise<Blob> {
  return ahead.get(`image ${id} ${page}`, () => client.pageImage(id, page, { signal: ended }));
}

type Places = Awaited<ReturnType<Session['client']['places']>>;

export function placesOf(asking: Asking, id: string, page: number, quote: string): Promise<Places> {
  const { client, ended, ahead } = asking;
  return ahead.get(`places ${id} ${page} ${quote}`, () => client.places(id, page, quote, { signal: ended }));
}

/** Whether the service can draw the pages of a document. */
export function isDrawn({ content_type: type }: DocumentRecord): boolean {
  return type === 'application/pdf' || type.startsWith('image/');
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
    await (drawn ?? (isDrawn(record) ? drawing(page ?? 1) : null));
  } catch {
    // When the user opens the citation, the pane repeats the requests and shows the error.
  }
}
