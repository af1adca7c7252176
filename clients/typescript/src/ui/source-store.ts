import type { LecternClient } from '../client.js';
import { LecternError } from '../errors.js';
import type { Citation, PagePlaces } from '../types.js';
import { Store } from './store.js';

/** A place in a document: a citation, or a source of an answer. */
export type SourcePlace = Pick<Citation, 'document_id' | 'chunk_number' | 'filename' | 'page_number'> &
  Partial<Pick<Citation, 'quote'>>;

/** A piece of a text; `isMarked` for the quotation. */
export interface TextPart {
  readonly text: string;
  readonly isMarked: boolean;
}

export interface ShownSource {
  readonly place: SourcePlace | null;
  /** The image of the page as an address for `<img>`; null: not loaded, or the document has no pages. */
  readonly image: string | null;
  /** The lines of the quotation on the image, as fractions of its width and height. */
  readonly marks: PagePlaces['places'];
  /** The text of the passage, if there is no image of its page. */
  readonly text: readonly TextPart[] | null;
  readonly isLoading: boolean;
  readonly error: unknown;
}

const NOTHING: ShownSource = {
  place: null,
  image: null,
  marks: [],
  text: null,
  isLoading: false,
  error: null,
};

/** The page of a source with the quotation marked, or the text where there is no page. */
export class SourceStore extends Store<ShownSource> {
  private loading: AbortController | null = null;

  constructor() {
    super(NOTHING);
  }

  /** Shows a place until the next one, or until `close`. */
  readonly show = async (client: LecternClient, place: SourcePlace): Promise<void> => {
    this.close();
    const loading = new AbortController();
    this.loading = loading;
    const { signal } = loading;
    this.update({ ...NOTHING, place, isLoading: true });
    try {
      const shown = (await pageOf(client, place, signal)) ?? { text: await textOf(client, place, signal) };
      if (!signal.aborted) this.update({ ...shown, isLoading: false });
      else if ('image' in shown) URL.revokeObjectURL(shown.image);
    } catch (error) {
      if (!signal.aborted) this.update({ isLoading: false, error });
    }
  };

  readonly close = (): void => {
    this.loading?.abort();
    this.loading = null;
    if (this.state.image !== null) URL.revokeObjectURL(this.state.image);
    this.update(NOTHING);
  };
}

/** @returns null if the page has no image */
async function pageOf(
  client: LecternClient,
  { document_id: id, page_number: page, quote }: SourcePlace,
  signal: AbortSignal,
): Promise<{ readonly image: string; readonly marks: PagePlaces['places'] } | null> {
  if (page === null) return null;
  try {
    const [image, places] = await Promise.all([
      client.pageImage(id, page, { signal }),
      quote === undefined || quote === null ? null : client.places(id, page, quote, { signal }),
    ]);
    return { image: URL.createObjectURL(image), marks: places?.places ?? [] };
  } catch (error) {
    if (error instanceof LecternError && [404, 415, 422].includes(error.status)) return null;
    throw error;
  }
}

async function textOf(
  client: LecternClient,
  { document_id, chunk_number, quote }: SourcePlace,
  signal: AbortSignal,
): Promise<TextPart[]> {
  const [chunk] = await client.chunks({ sources: [{ document_id, chunk_number }] }, { signal });
  if (chunk === undefined) throw new LecternError(404, 'The passage is no longer there');
  return markedText(chunk.content, quote ?? null);
}

/** Splits a text at a quotation. White space may differ. */
export function markedText(text: string, quote: string | null): TextPart[] {
  const words = quote?.trim().split(/\s+/) ?? [''];
  const pattern = words.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('\\s+');
  const found = pattern === '' ? null : new RegExp(pattern, 'u').exec(text);
  if (found === null) return [{ text, isMarked: false }];
  const end = found.index + found[0].length;
  return [
    { text: text.slice(0, found.index), isMarked: false },
    { text: found[0], isMarked: true },
    { text: text.slice(end), isMarked: false },
  ].filter((part) => part.text !== '');
}
