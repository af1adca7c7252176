import type { RetrieveRequest } from '@lectern/client';
import { UsageError } from './command.js';

/** Options that select documents and the number of passages. */
export const SELECTION_OPTIONS = {
  k: { type: 'string' },
  folder: { type: 'string' },
  filter: { type: 'string' },
  'end-user': { type: 'string' },
} as const;

type Values = { readonly [Flag in keyof typeof SELECTION_OPTIONS]?: string | undefined };
type Filters = NonNullable<RetrieveRequest['filters']>;

/**
 * Converts the options to fields of the body. Omits options that are not set.
 *
 * @throws UsageError
 */
export function selectionOf({ k, folder, filter, 'end-user': endUser }: Values) {
  return {
    ...(k === undefined ? {} : { k: countOf(k) }),
    ...(folder === undefined ? {} : { folder_name: folder, folder_depth: -1 }),
    ...(filter === undefined ? {} : { filters: filterOf(filter) }),
    ...(endUser === undefined ? {} : { end_user_id: endUser }),
  };
}

function countOf(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new UsageError('--k must be an integer from 1');
  return Number(text);
}

/** Parses the JSON only; the service validates the filter itself. */
function filterOf(text: string): Filters {
  try {
    return JSON.parse(text) as Filters;
  } catch {
    throw new UsageError(`--filter must be JSON, such as '{"kind": "log"}'`);
  }
}

/** The fields of a chunk in a response that locate it. */
export interface PlacedChunk {
  readonly document_id: string;
  readonly chunk_number: number;
  readonly filename: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** The location of a chunk as text: file and pages, as far as known. */
export function placeOf({ document_id, chunk_number, filename, metadata }: PlacedChunk): string {
  const { page_number: page, first_page_number: first } = metadata;
  const pages = typeof first === 'number' ? `pages ${first}-${String(page)}` : `page ${String(page)}`;
  const place = typeof page === 'number' ? pages : `chunk ${chunk_number}`;
  return `${filename ?? document_id}, ${place}`;
}
