import type { ListedDocument } from '../api/lectern.js';

export type DocumentState = 'processing' | 'completed' | 'failed';

/** The status of a document. */
export function stateOf({ system_metadata: system }: Pick<ListedDocument, 'system_metadata'>): DocumentState {
  const status = system?.['status'];
  return status === 'completed' || status === 'failed' ? status : 'processing';
}

const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const MOMENT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** A formatted date; empty for other values. */
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

/** A record's value as text: strings as they are, nothing for missing values, JSON for the rest. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}
