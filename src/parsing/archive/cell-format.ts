import { format, getFormatDateInfo, getFormatFromId, getFormatInfo, isDateFormat, round } from 'numfmt';

/** Longer codes are not from a spreadsheet program (ECMA-376 part 1, section 18.8.31, and Excel's own bound). */
const MAX_CODE_LENGTH = 255;

/** Dates whose code depends on the language of the program (ECMA-376 part 1, section 18.8.30). */
const isLocalDate = (id: number): boolean =>
  (id >= 27 && id <= 36) || (id >= 50 && id <= 58) || (id >= 71 && id <= 81);
const LOCAL_DATE = 'm/d/yyyy';

/** Days from the beginning of the calendar of a workbook to 1970. */
const DAYS_SINCE_1900 = 25_569;
const DAYS_SINCE_1904 = 24_107;
const SECONDS_A_DAY = 86_400;

/** How the cells of one style show their values. */
export interface CellFormat {
  readonly number: (value: number) => string;
  readonly text: (value: string) => string;
}

/** Literals, a number without an exponent, literals or a percent sign: the formats of most cells. */
const LITERALS = String.raw`(?:"[^"]*"|\\.|[ $€£¥])*`;
const PLAIN = new RegExp(String.raw`^(${LITERALS})(#,##0|0)(?:\.(0+))?(${LITERALS}|%)$`, 'u');

const QUOTED_OR_TAGGED = /"[^"]*"|\\.|\[[^\]]*\]/gu;
const OPTIONS = { nbsp: false } as const;

/** The format of a code of the file, or of one that every file has. */
export function formatCode(id: number, codes: ReadonlyMap<number, string>): string {
  return codes.get(id) ?? (isLocalDate(id) ? LOCAL_DATE : getFormatFromId(id));
}

/**
 * Values as a sheet shows them by their number format (ECMA-376 part 1, section 18.8.31). Dates in digits are in
 * ISO 8601, since `03/04/2026` has two meanings; a year has four digits; the general format shows 15 digits.
 */
export function cellFormat(code: string, is1904: boolean): CellFormat {
  const isGeneral = code === '' || /^(?:general|@)$/i.test(code) || code.length > MAX_CODE_LENGTH;
  if (isGeneral || !isReadable(code)) return { number: generalNumber, text: (value) => value };
  return {
    number: isDateFormat(code) ? dateFormat(code, is1904) : numberFormat(code),
    text: format(code, 'x', OPTIONS) === 'x' ? (value) => value : (value) => format(code, value, OPTIONS),
  };
}

/** Without what is left of binary fractions. */
export function generalNumber(value: number): string {
  return String(Number.isSafeInteger(value) ? value : Number(value.toPrecision(15)));
}

function isReadable(code: string): boolean {
  try {
    format(code, 1, OPTIONS);
    return true;
  } catch {
    return false; // the sheet shows the number in the general format
  }
}

/** A currency names its language (`[$€-407]`), which changes no separator of a number. */
const LANGUAGE = /\[\$([^\]-]*)-[^\]]*\]/gu;

function numberFormat(localCode: string): CellFormat['number'] {
  const code = localCode.replace(LANGUAGE, (_, symbol: string) => (symbol === '' ? '' : `[$${symbol}]`));
  const [plain, before = '', digits, decimals = '', after = ''] = PLAIN.exec(code) ?? [];
  if (plain === undefined) return (value) => format(code, value, OPTIONS);
  const [prefix, suffix] = [literal(before), literal(after)];
  const factor = after === '%' ? 100 : 1;
  return (value) => {
    const size = Math.abs(value) * factor;
    const rounded = Number.isSafeInteger(size) ? size : round(size, decimals.length);
    if (rounded >= Number.MAX_SAFE_INTEGER) return format(code, value, OPTIONS);
    const fixed = rounded.toFixed(decimals.length);
    const shown = digits === '0' ? fixed : fixed.replace(/\d(?=(?:\d{3})+(?:\.|$))/g, '$&,');
    return `${value < 0 && rounded > 0 ? '-' : ''}${prefix}${shown}${suffix}`;
  };
}

function literal(source: string): string {
  return source.replace(/"([^"]*)"|\\(.)/gu, '$1$2');
}

function dateFormat(code: string, is1904: boolean): CellFormat['number'] {
  const epochDays = is1904 ? DAYS_SINCE_1904 : DAYS_SINCE_1900;
  const { year, day, month, hours, seconds } = getFormatDateInfo(code);
  const { type } = getFormatInfo(code);
  if (type === 'time' && !year && !day) return (value) => format(code, value, OPTIONS);
  const namesMonth = /m{3}/i.test(code.replace(QUOTED_OR_TAGGED, ''));
  if (namesMonth || !day || !month) {
    const shown = code.replace(/"[^"]*"|\\.|\[[^\]]*\]|y+/giu, (part) =>
      /^y+$/i.test(part) ? 'yyyy' : part,
    );
    return (value) => format(shown, value + DAYS_SINCE_1900 - epochDays, OPTIONS);
  }
  const length = seconds ? 19 : 16;
  return (value) => {
    const iso = isoTime(value, epochDays);
    if (iso === undefined) return generalNumber(value);
    return hours ? iso.slice(0, length).replace('T', ' ') : iso.slice(0, 10);
  };
}

function isoTime(day: number, epochDays: number): string | undefined {
  const date = new Date(Math.round((day - epochDays) * SECONDS_A_DAY) * 1_000);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** A day of the calendar that begins in 1900, as text; without the time at midnight. undefined for none of a calendar. */
export function isoDate(day: number): string | undefined {
  return isoTime(day, DAYS_SINCE_1900)?.replace(/T00:00:00\.000Z$/, '');
}

/** The day of a date in ISO 8601, in the calendar of a workbook; undefined when it is none. */
export function dayOf(iso: string, is1904: boolean): number | undefined {
  const time = Date.parse(/T.*(?:Z|[+-]\d\d:?\d\d)$/.test(iso) || !iso.includes('T') ? iso : `${iso}Z`);
  if (Number.isNaN(time)) return undefined;
  return time / (1_000 * SECONDS_A_DAY) + (is1904 ? DAYS_SINCE_1904 : DAYS_SINCE_1900);
}
