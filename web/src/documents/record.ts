import { labelOf } from '../../../reader/src/formats.js';
import type { ListedDocument } from '../api/lectern.js';

export type DocumentState = 'processing' | 'completed' | 'failed';

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
  const date = dateOf(value);
  return date === null ? '' : format.format(date);
}

function dateOf(value: unknown): Date | null {
  const date = typeof value === 'string' ? new Date(value) : null;
  return date === null || Number.isNaN(date.getTime()) ? null : date;
}

const AGO = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const MINUTE = 60_000;
const STEPS = [
  ['minute', MINUTE, 60],
  ['hour', 60 * MINUTE, 24],
  ['day', 24 * 60 * MINUTE, 30],
] as const;

/** Returns the time since a date in words, or the date itself after a month. */
export function ago(value: unknown, now = Date.now()): string {
  const date = dateOf(value);
  if (date === null) return '';
  const past = Math.max(0, now - date.getTime());
  if (past < MINUTE) return 'just now';
  const step = STEPS.find(([, length, count]) => past < length * count);
  return step === undefined ? DAY.format(date) : AGO.format(-Math.floor(past / step[1]), step[0]);
}

/** A media type in the words that people use. */
export function typeInWords(type: unknown): string {
  return typeof type === 'string' ? labelOf(type) : '';
}

/** A record's value as text: strings as they are, nothing for missing values, JSON for the rest. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}
