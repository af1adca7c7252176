import type { LecternClient } from '../api/lectern.js';
import type { DocumentState } from './record.js';

export const ORDERS = {
  'Changed last': ['updated_at', 'desc'],
  'Changed first': ['updated_at', 'asc'],
  'Added last': ['created_at', 'desc'],
  'Added first': ['created_at', 'asc'],
  'Name, A to Z': ['filename', 'asc'],
  'Name, Z to A': ['filename', 'desc'],
} as const;
export type Order = keyof typeof ORDERS;

/** The labels of the state filter, each with its state; null: any state. */
export const STATES: readonly (readonly [string, DocumentState | null])[] = [
  ['All states', null],
  ['Ready', 'completed'],
  ['In progress', 'processing'],
  ['Failed', 'failed'],
];

/** Fields that a row shows. */
const FIELDS = [
  'filename',
  'folder_path',
  'end_user_id',
  'content_type',
  'status',
  'chunk_count',
  'updated_at',
];

/** Which documents are listed, and in which order. */
export interface ListQuery {
  /** The folder of the documents; null: all documents. */
  readonly folder: string | null;
  /** Parts of the file name, separated by spaces; an empty text matches every name. */
  readonly name: string;
  /** State of the documents; null: any state. */
  readonly state: DocumentState | null;
  readonly order: Order;
}

interface Selected {
  readonly document_filters?: { readonly $and: { readonly filename: object }[] };
  readonly status?: DocumentState;
  readonly folder_name?: string[];
  readonly folder_depth?: number;
}

interface Window extends Selected {
  readonly include_total_count: true;
  readonly sort_by: (typeof ORDERS)[Order][0];
  readonly sort_direction: (typeof ORDERS)[Order][1];
  readonly fields: string[];
}

/** The request for the listed documents, without offset and limit. */
export function windowOf(query: ListQuery): Window {
  const [sort_by, sort_direction] = ORDERS[query.order];
  return { ...selectionOf(query), include_total_count: true, sort_by, sort_direction, fields: FIELDS };
}

/**
 * Selects the documents directly in the folder. If a name is searched for, also selects the documents in all folders
 * below it.
 */
export function selectionOf({ folder, name, state }: ListQuery): Selected {
  const parts = name.split(/\s+/).filter((part) => part !== '');
  return {
    ...(parts.length === 0 ? {} : { document_filters: { $and: parts.map(containing) } }),
    ...(state === null ? {} : { status: state }),
    ...(folder === null ? {} : { folder_name: [folder] }),
    ...(folder === null || parts.length === 0 ? {} : { folder_depth: -1 }),
  };
}

/** The number of documents of a person in a selection. */
export async function countOf(
  client: LecternClient,
  person: string,
  selected: Selected,
  signal: AbortSignal,
): Promise<number> {
  const counting = { include_total_count: true, fields: ['status'], limit: 1 };
  const { total_count: count } = await client.listing({
    ...selected,
    ...counting,
    end_user_id: person,
    signal,
  });
  return count ?? 0;
}

function containing(part: string): { readonly filename: object } {
  const pattern = part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return { filename: { $regex: pattern, $options: 'i' } };
}
