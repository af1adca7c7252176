import { format, getFormatDateInfo, getFormatFromId, getFormatInfo, isDateFormat, round } from 'numfmt';

/** Excel's maximum length of format codes (ECMA-376 part 1, section 18.8.31). */
const MAX_CODE_LENGTH = 255;

/** Built-in formats of dates in the program's locale (ECMA-376 part 1, section 18.8.30). */
const isLocalDate = (id: number): boolean =>
  (id >= 27 && id <= 36) || (id >= 50 && id <= 58) || (id >= 71 && id <= 81);
const LOCAL_DATE = 'm/d/yyyy';

/** Days from a workbook's epoch to 1970. */
const DAYS_SINCE_1900 = 25_569;
const DAYS_SINCE_1904 = 24_107;
const SECONDS_A_DAY = 86_400;

export interface CellFormat {
  readonly number: (value: number) => string;
  readonly text: (value: string) => string;
}

/** The most common formats: literals, a number without exponent, and literals or a percent sign. */
const LITERALS = String.raw`(?:"[^"]*"|\\.|[ $€£¥])*`;
const PLAIN = new RegExp(String.raw`^(${LITERALS})(#,##0|0)(?:\.(0+))?(${LITERALS}|%)$`, 'u');

const QUOTED_OR_TAGGED = /"[^"]*"|\\.|\[[^\]]*\]/gu;
const OPTIONS = { nbsp: false } as const;

/** Returns the format code of an id: a code of the file, or a built-in code. */
export function formatCode(id: number, codes: ReadonlyMap<number, string>): string {
  return codes.get(id) ?? (isLocalDate(id) ? LOCAL_DATE : getFormatFromId(id));
}

/**
 * Formats values by a number format (ECMA-376 part 1, section 18.8.31). Numeric dates become ISO 8601, because
 * `03/04/2026` is ambiguous; years have four digits; the general format shows 15 digits.
 */
export function cellFormat(code: string, is1904: boolean): CellFormat {
  const isGeneral = code === '' || /^(?:general|@)$/i.test(code) || code.length > MAX_CODE_LENGTH;
  if (isGeneral || !isReadable(code)) return { number: generalNumber, text: (value) => value };
  return {
    number: isDateFormat(code) ? dateFormat(code, is1904) : numberFormat(code),
    text: format(code, 'x', OPTIONS) === 'x' ? (value) => value : (value) => format(code, value, OPTIONS),
  };
}

/** Formats a number. Rounds fractions to 15 digits, which hides the rounding errors of binary fractions. */
export function generalNumber(value: number): string {
  return String(Number.isSafeInteger(value) ? value : Number(value.toPrecision(15)));
}

function isReadable(code: string): boolean {
  try {
    format(code, 1, OPTIONS);
    return true;
  } catch {
    return false; // the number is shown in the general format
  }
}

/** Matches a currency with its locale (`[$€-407]`). The locale does not affect number separators. */
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

/** The ISO 8601 date of a day number of the 1900 calendar, without the time at midnight; undefined for invalid days. */
export function isoDate(day: number): string | undefined {
  return isoTime(day, DAYS_SINCE_1900)?.replace(/T00:00:00\.000Z$/, '');
}

/** The day number of an ISO 8601 date in a workbook's calendar; undefined for other text. */
export function dayOf(iso: string, is1904: boolean): number | undefined {
  const time = Date.parse(/T.*(?:Z|[+-]\d\d:?\d\d)$/.test(iso) || !iso.includes('T') ? iso : `${iso}Z`);
  if (Number.isNaN(time)) return undefined;
  return time / (1_000 * SECONDS_A_DAY) + (is1904 ? DAYS_SINCE_1904 : DAYS_SINCE_1900);
}
