import { normaliseDecimal } from './literal.js';

/** An ISO 8601 date or date-time. */
export interface IsoTime {
  readonly kind: 'date' | 'datetime';
  /** The time with an explicit offset. The offset is UTC if the text has none. A date stands for midnight UTC. */
  readonly instant: string;
}

const ISO_8601 =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(\.\d{1,9})?)?(?:([Zz])|([+-](?:0\d|1[0-5]))(?::?([0-5]\d))?)?)?$/;

/**
 * Parses an ISO 8601 date or date-time in the extended format. Accepts the range of `timestamptz`: years 0001 to 9999
 * and offsets up to 15:59. Returns undefined for everything else.
 */
export function parseIsoTime(text: string): IsoTime | undefined {
  const match = ISO_8601.exec(text);
  if (!match) return undefined;
  const [
    ,
    year = '',
    month = '',
    day = '',
    hour,
    minute,
    second = '00',
    fraction = '',
    ,
    offset,
    offsetMinute,
  ] = match;
  if (!isCalendarDay(Number(year), Number(month), Number(day))) return undefined;
  const date = `${year}-${month}-${day}`;
  if (hour === undefined || minute === undefined) return { kind: 'date', instant: `${date}T00:00:00Z` };
  const zone = offset === undefined ? 'Z' : `${offset}:${offsetMinute ?? '00'}`;
  return { kind: 'datetime', instant: `${date}T${hour}:${minute}:${second}${fraction}${zone}` };
}

const NANOSECONDS = 1_000_000_000n;

/**
 * Converts seconds since 1970-01-01T00:00:00Z to a UTC date-time with nanoseconds (further digits are truncated).
 * Returns undefined for a time outside the years 0001 to 9999.
 * @param seconds a number in digits
 */
export function timeOfEpoch(seconds: string): string | undefined {
  const [, sign = '', whole = '', fraction = ''] =
    /^(-?)(\d+)(?:\.(\d+))?$/.exec(normaliseDecimal(seconds) ?? '') ?? [];
  if (whole === '' || whole.length > MAX_EPOCH_DIGITS) return undefined;
  const distance = BigInt(whole) * NANOSECONDS + BigInt(fraction.slice(0, 9).padEnd(9, '0'));
  const nanoseconds = sign === '' ? distance : -distance;
  const part = ((nanoseconds % NANOSECONDS) + NANOSECONDS) % NANOSECONDS;
  const date = new Date(Number((nanoseconds - part) / NANOSECONDS) * 1_000);
  const year = date.getUTCFullYear();
  if (year < 1 || year > 9_999) return undefined;
  const digits = String(part).padStart(9, '0').replace(/0+$/, '');
  return `${date.toISOString().slice(0, 19)}${digits === '' ? '' : `.${digits}`}Z`;
}

/** Number of digits that the last second of the year 9999 has, in seconds since 1970. */
const MAX_EPOCH_DIGITS = 12;

function isCalendarDay(year: number, month: number, day: number): boolean {
  if (year < 1) return false;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}
