import { UsageError } from './report-failure.js';

/** The flags that say which documents a question goes to, and how many passages it wants. */
export const SELECTION_OPTIONS = {
  k: { type: 'string' },
  folder: { type: 'string' },
  filter: { type: 'string' },
  'end-user': { type: 'string' },
} as const;

type Values = { readonly [Flag in keyof typeof SELECTION_OPTIONS]?: string | undefined };

/**
 * Their part of the body of a retrieval or a completion; what is not given is left out.
 * @throws UsageError
 */
export function selectionOf(values: Values): Readonly<Record<string, unknown>> {
  const { k, folder, filter, 'end-user': endUser } = values;
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

function filterOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`--filter takes JSON, such as '{"kind": "log"}'`);
  }
}
