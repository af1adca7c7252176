import { ExactNumber, isCarriedByDouble } from '../json/exact-json.js';
import { jsonKind, type Literal, normaliseDecimal } from './literal.js';
import { parseIsoTime, timeOfEpoch } from './temporal.js';

/** Types of top-level metadata values, as stored in `metadata_types`. */
export const METADATA_TYPES = [
  'string',
  'number',
  'decimal',
  'boolean',
  'datetime',
  'date',
  'array',
  'object',
  'null',
] as const;
export type MetadataType = (typeof METADATA_TYPES)[number];

const NAMES = new Map<string, MetadataType>([
  ...METADATA_TYPES.map((type): [string, MetadataType] => [type, type]),
  ['str', 'string'],
  ['text', 'string'],
  ['int', 'number'],
  ['integer', 'number'],
  ['long', 'number'],
  ['double', 'number'],
  ['float', 'number'],
  ['numeric', 'number'],
  ['bool', 'boolean'],
  ['timestamp', 'datetime'],
  ['list', 'array'],
  ['dict', 'object'],
  ['map', 'object'],
]);

/** Returns the type of a name or alias, in any case; undefined for an unknown name. */
export function metadataTypeNamed(name: string): MetadataType | undefined {
  return NAMES.get(name.toLowerCase());
}

/** A shorter date-time, without seconds, is more often a label than a time, so it stays a string. */
const MIN_DATETIME_LENGTH = 19;

/** Infers the type of an undeclared value: its JSON type, or `datetime` for a date-time string. */
export function inferType(value: Literal): MetadataType {
  if (typeof value === 'string') {
    return value.length >= MIN_DATETIME_LENGTH && parseIsoTime(value)?.kind === 'datetime'
      ? 'datetime'
      : 'string';
  }
  return jsonKind(value) ?? 'null';
}

/**
 * Converts an undeclared value to the previous type of its key; undefined when the meaning would change. A numeric string
 * fits a number, but a number does not fit a boolean, and only strings fit a string.
 */
export function keepType(
  value: Literal,
  type: MetadataType | undefined,
): { value: Literal; type: MetadataType } | undefined {
  if (type === undefined) return undefined;
  if (type === 'string' && value !== null && typeof value !== 'string') return undefined;
  const kept = exactly(value, type);
  return kept === undefined ? undefined : { value: kept, type };
}

/**
 * Converts a value to its declared type, leniently: `yes`, `on` and 1 are true, a number of seconds since 1970 is a time,
 * and a date-time gives its date. Null fits every type.
 * @returns undefined when the value cannot be converted
 */
export function coerceValue(value: Literal, type: MetadataType): Literal | undefined {
  const exact = exactly(value, type);
  return exact === undefined ? leniently(value, type) : exact;
}

/** Converts a value in the notation of the type itself. */
function exactly(value: Literal, type: MetadataType): Literal | undefined {
  if (value === null) return null;
  switch (type) {
    case 'string':
      return isNumeric(value) || typeof value === 'boolean' ? String(value) : stringOnly(value);
    case 'number':
      return isNumeric(value) ? value : numberFrom(stringOnly(value));
    case 'decimal':
      return isNumeric(value) || typeof value === 'string' ? normaliseDecimal(String(value)) : undefined;
    case 'boolean':
      return typeof value === 'boolean' ? value : BOOLEANS.get(stringOnly(value)?.toLowerCase() ?? '');
    case 'datetime':
      return dateTimeFrom(stringOnly(value));
    case 'date':
      return dateFrom(stringOnly(value));
    case 'array':
    case 'object':
      return jsonKind(value) === type ? value : undefined;
    case 'null':
      return undefined;
  }
}

/** Converts other notations that clients use for a declared type. */
function leniently(value: Literal, type: MetadataType): Literal | undefined {
  switch (type) {
    case 'number':
      return numberFrom(stringOnly(value)?.trim());
    case 'decimal':
      return normaliseDecimal(stringOnly(value)?.trim() ?? '');
    case 'boolean':
      return isNumeric(value)
        ? normaliseDecimal(String(value)) !== '0'
        : SAID_BOOLEANS.get(stringOnly(value)?.toLowerCase() ?? '');
    case 'datetime':
      return isNumeric(value) ? timeOfEpoch(String(value)) : undefined;
    case 'date':
      return (isNumeric(value) ? timeOfEpoch(String(value)) : dateTimeFrom(stringOnly(value)))?.slice(0, 10);
    default:
      return undefined;
  }
}

const BOOLEANS = new Map([
  ['true', true],
  ['false', false],
]);

const SAID_BOOLEANS = new Map([
  ...['yes', 'on', 'y', '1'].map((word) => [word, true] as const),
  ...['no', 'off', 'n', '0'].map((word) => [word, false] as const),
]);

function isNumeric(value: Literal): value is number | ExactNumber {
  return jsonKind(value) === 'number';
}

function stringOnly(value: Literal): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function numberFrom(text: string | undefined): number | ExactNumber | undefined {
  const literal = text === undefined ? undefined : normaliseDecimal(text);
  if (literal === undefined) return undefined;
  return isCarriedByDouble(literal) ? Number(literal) : new ExactNumber(literal);
}

/** Treats a date without a time as midnight UTC. */
function dateTimeFrom(text: string | undefined): string | undefined {
  const time = text === undefined ? undefined : parseIsoTime(text);
  return time?.kind === 'date' ? time.instant : time && text;
}

/** Treats a date-time at midnight UTC as a date, because clients without a date type send dates this way. */
function dateFrom(text: string | undefined): string | undefined {
  const time = text === undefined ? undefined : parseIsoTime(text);
  if (time === undefined) return undefined;
  const isMidnight = /T00:00:00(?:\.0+)?(?:Z|[+-]00:00)$/.test(time.instant);
  return isMidnight ? time.instant.slice(0, 10) : undefined;
}
