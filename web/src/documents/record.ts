import type { ListedDocument } from '../api/lectern.js';

export type DocumentState = 'processing' | 'completed' | 'failed';

/** Where a document stands. */
export function stateOf({ system_metadata: system }: Pick<ListedDocument, 'system_metadata'>): DocumentState {
  const status = system?.['status'];
  return status === 'completed' || status === 'failed' ? status : 'processing';
}

const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const MOMENT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** A day for the reader; empty for what is no date. */
export function when(value: unknown): string {
  return formatted(value, DAY);
}

export function moment(value: unknown): string {
  return formatted(value, MOMENT);
}

function formatted(value: unknown, format: Intl.DateTimeFormat): string {
  const date = typeof value === 'string' ? new Date(value) : null;
  return date === null || Number.isNaN(date.getTime()) ? '' : format.format(date);
}

/** A value of a record as it is read: text as it is, nothing for what is missing, JSON for the rest. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}
