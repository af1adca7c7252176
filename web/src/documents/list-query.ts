import type { LecternClient } from '../api/lectern.js';
import type { DocumentState } from './record.js';

/** Orders of the list, by the words that a user chooses. */
export const ORDERS = {
  'Changed last': ['updated_at', 'desc'],
  'Changed first': ['updated_at', 'asc'],
  'Added last': ['created_at', 'desc'],
  'Added first': ['created_at', 'asc'],
  'Name, A to Z': ['filename', 'asc'],
  'Name, Z to A': ['filename', 'desc'],
} as const;
export type Order = keyof typeof ORDERS;

/** Choices of the list by state, by the words that a user chooses. */
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
  /** null: all documents. */
  readonly folder: string | null;
  /** Parts of the file name, separated by spaces; empty: any. */
  readonly name: string;
  /** null: any. */
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

/** The request for the listed documents, without its page. */
export function windowOf(query: ListQuery): Window {
  const [sort_by, sort_direction] = ORDERS[query.order];
  return { ...selectionOf(query), include_total_count: true, sort_by, sort_direction, fields: FIELDS };
}

/**
 * The listed documents without order: those directly in the folder or, by name, in all folders below it too.
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
