import type { RetrieveRequest } from '@lectern/client';
import { UsageError } from './command.js';

/** The flags that say which documents a question goes to, and how many passages it wants. */
export const SELECTION_OPTIONS = {
  k: { type: 'string' },
  folder: { type: 'string' },
  filter: { type: 'string' },
  'end-user': { type: 'string' },
} as const;

type Values = { readonly [Flag in keyof typeof SELECTION_OPTIONS]?: string | undefined };
type Filters = NonNullable<RetrieveRequest['filters']>;

/**
 * Their part of the body of a retrieval or a completion; what is not given is left out.
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
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new UsageError('--k takes a whole number from 1');
  return Number(text);
}

/** JSON; what is wrong with it as a filter the service says. */
function filterOf(text: string): Filters {
  try {
    return JSON.parse(text) as Filters;
  } catch {
    throw new UsageError(`--filter takes JSON, such as '{"kind": "log"}'`);
  }
}

/** What the service says of a chunk. */
export interface PlacedChunk {
  readonly document_id: string;
  readonly chunk_number: number;
  readonly filename: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** What a person calls the place of a chunk: file and pages, or as much of it as is known. */
export function placeOf({ document_id, chunk_number, filename, metadata }: PlacedChunk): string {
  const { page_number: page, first_page_number: first } = metadata;
  const pages = typeof first === 'number' ? `pages ${first}-${String(page)}` : `page ${String(page)}`;
  const place = typeof page === 'number' ? pages : `chunk ${chunk_number}`;
  return `${filename ?? document_id}, ${place}`;
}
