/** A date alone, or a date with a time, as ISO 8601 writes them. */
export interface IsoTime {
  readonly kind: 'date' | 'datetime';
  /** The instant with its offset written out: no offset is UTC, a date its midnight UTC. */
  readonly instant: string;
}

const ISO_8601 =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(\.\d{1,9})?)?(?:([Zz])|([+-](?:0\d|1[0-5]))(?::?([0-5]\d))?)?)?$/;

/**
 * Reads an ISO 8601 date or date-time in the extended format. The years are 0001 to 9999 and the offsets up to
 * 15:59, the range of `timestamptz`; everything else is undefined.
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

function isCalendarDay(year: number, month: number, day: number): boolean {
  if (year < 1) return false;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}
