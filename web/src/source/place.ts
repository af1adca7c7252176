import { hrefOf, type Route } from '../app/router.js';

/** The place in a document that the pane beside an answer shows. */
export interface ShownSource {
  readonly id: string;
  readonly chunk: number;
  /** 1-based. */
  readonly page: number | null;
  /** The text to mark. */
  readonly quote: string | null;
}

/** The URL of the view with a source beside it. */
export function sourceHref(
  { view, id, params }: Route,
  { id: source, chunk, page, quote }: ShownSource,
): string {
  return hrefOf(view, id, { person: params.get('person'), source, chunk, page, quote });
}

/** The URL of the view without a source. */
export function closedHref({ view, id, params }: Route): string {
  return hrefOf(view, id, { person: params.get('person') });
}

/** The source that a URL names; null if it names no source. */
export function shownSource({ params }: Route): ShownSource | null {
  const id = params.get('source');
  if (id === null) return null;
  return {
    id,
    chunk: numberIn(params, 'chunk') ?? 0,
    page: numberIn(params, 'page'),
    quote: params.get('quote'),
  };
}

function numberIn(params: URLSearchParams, name: string): number | null {
  const text = params.get(name);
  return text !== null && /^\d+$/.test(text) ? Number(text) : null;
}
