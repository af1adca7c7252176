import type { LecternClient } from '../api/lectern.js';
import type { DocumentState } from './record.js';

export const ORDERS = {
  changedLast: ['updated_at', 'desc'],
  changedFirst: ['updated_at', 'asc'],
  addedLast: ['created_at', 'desc'],
  addedFirst: ['created_at', 'asc'],
  nameUp: ['filename', 'asc'],
  nameDown: ['filename', 'desc'],
} as const;
export type Order = keyof typeof ORDERS;

/** The states of the filter, in its order. */
export const STATES: readonly DocumentState[] = ['completed', 'processing', 'failed'];

/** Fields that a row shows. */
const FIELDS = [
  'filename',
  'folder_path',
  'end_user_id',
  'access_control',
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
  /** Whether only documents of others are listed that are shared with the reader, or with a group of the reader. */
  readonly isShared: boolean;
  readonly order: Order;
}

interface Selected {
  readonly document_filters?: { readonly $and: { readonly filename: object }[] };
  readonly status?: DocumentState;
  readonly shared_with_me?: true;
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
 * Selects the documents directly in the folder. With a name, and if only shared documents are listed, also selects the
 * documents in all folders below it.
 */
export function selectionOf({ folder, name, state, isShared }: ListQuery): Selected {
  const parts = name.split(/\s+/).filter((part) => part !== '');
  return {
    ...(parts.length === 0 ? {} : { document_filters: { $and: parts.map(containing) } }),
    ...(state === null ? {} : { status: state }),
    ...(isShared && { shared_with_me: true }),
    ...(folder === null ? {} : { folder_name: [folder] }),
    ...(folder === null || (parts.length === 0 && !isShared) ? {} : { folder_depth: -1 }),
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
