import { isolate, locale } from './translate.js';

/** Formats by language tag and options, because making one takes longer than using it. */
const made = new Map<string, unknown>();

function once<Format>(kind: string, make: (tag: string) => Format): Format {
  const tag = locale();
  const key = `${tag} ${kind}`;
  const known = made.get(key) as Format | undefined;
  if (known !== undefined) return known;
  const format = make(tag);
  made.set(key, format);
  return format;
}

export function numberText(value: number): string {
  return once('number', (tag) => new Intl.NumberFormat(tag)).format(value);
}

/** `a, b, c`. */
export function listText(items: readonly string[]): string {
  return once('list', (tag) => new Intl.ListFormat(tag, { type: 'unit' })).format(items.map(isolate));
}

/** `a, b, c`, without an "and" before the last one: a list that goes on after it. */
export function openListText(items: readonly string[]): string {
  const format = once('open list', (tag) => new Intl.ListFormat(tag));
  const separator = format.formatToParts(['a', 'b', 'c'])[1]?.value ?? ', ';
  return items.map(isolate).join(separator);
}

export function dayText(date: Date): string {
  return once('day', (tag) => new Intl.DateTimeFormat(tag, { dateStyle: 'medium' })).format(date);
}

export function momentText(date: Date): string {
  return once(
    'moment',
    (tag) => new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeStyle: 'short' }),
  ).format(date);
}

/** `2 hours ago`, `yesterday`. */
export function agoText(count: number, unit: 'minute' | 'hour' | 'day'): string {
  return once('ago', (tag) => new Intl.RelativeTimeFormat(tag, { numeric: 'auto' })).format(-count, unit);
}

/** @param percentage 0 to 100 */
export function percentText(percentage: number): string {
  return once('percent', (tag) => new Intl.NumberFormat(tag, { style: 'percent' })).format(percentage / 100);
}

/** A score, with three decimals. */
export function scoreText(score: number): string {
  const decimals = { minimumFractionDigits: 3, maximumFractionDigits: 3 };
  return once('score', (tag) => new Intl.NumberFormat(tag, decimals)).format(score);
}
