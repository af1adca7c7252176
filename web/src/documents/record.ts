import { labelOf } from '../../../reader/src/formats.js';
import type { ListedDocument } from '../api/lectern.js';
import { agoText, dayText, momentText } from '../language/quantities.js';
import { t } from '../language/translate.js';
import type { Key } from '../language/words.js';

export type DocumentState = 'processing' | 'completed' | 'failed';

export function stateOf({ system_metadata: system }: Pick<ListedDocument, 'system_metadata'>): DocumentState {
  const status = system?.['status'];
  return status === 'completed' || status === 'failed' ? status : 'processing';
}

/** A formatted date; empty for other values. */
export function when(value: unknown): string {
  return formatted(value, dayText);
}

export function moment(value: unknown): string {
  return formatted(value, momentText);
}

function formatted(value: unknown, format: (date: Date) => string): string {
  const date = dateOf(value);
  return date === null ? '' : format(date);
}

function dateOf(value: unknown): Date | null {
  const date = typeof value === 'string' ? new Date(value) : null;
  return date === null || Number.isNaN(date.getTime()) ? null : date;
}

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
  if (past < MINUTE) return t('time.now');
  const step = STEPS.find(([, length, count]) => past < length * count);
  return step === undefined ? dayText(date) : agoText(Math.floor(past / step[1]), step[0]);
}

/** The labels of formats that are words of a language. The others, such as `PDF`, are names. */
const KINDS: Readonly<Record<string, Key>> = {
  Calendar: 'kind.calendar',
  Code: 'kind.code',
  'E-book': 'kind.eBook',
  'E-mail': 'kind.eMail',
  File: 'kind.file',
  Image: 'kind.image',
  Notebook: 'kind.notebook',
  'Rich text': 'kind.richText',
  Subtitles: 'kind.subtitles',
  Table: 'kind.table',
  Text: 'kind.text',
  'Web page': 'kind.webPage',
};

/** A media type in the words that people use. */
export function typeInWords(type: unknown): string {
  if (typeof type !== 'string') return '';
  const label = labelOf(type);
  const key = KINDS[label];
  return key === undefined ? label : t(key);
}

/** A record's value as text: strings as they are, nothing for missing values, JSON for the rest. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}
