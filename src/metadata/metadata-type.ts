import { missingCase } from '../errors/index.js';
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

/** Returns the type with a name or alias. Ignores letter case. Returns undefined for an unknown name. */
export function metadataTypeNamed(name: string): MetadataType | undefined {
  return NAMES.get(name.toLowerCase());
}

/**
 * Minimum length of a string that counts as a date-time. A shorter string lacks seconds, and is more often a label than
 * a time. It remains a string.
 */
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
 * Converts an undeclared value to the previous type of its key. Returns undefined if the conversion would change the
 * meaning of the value. A numeric string can become a number, but a number cannot become a boolean. A value that is not
 * a string never becomes a string.
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
 * Converts a value to its declared type. Also accepts other notations: `yes`, `on` and 1 are true, a number can be a
 * time in seconds since 1970, and a date-time can become a date. Null fits every type.
 * @returns undefined if the value cannot be converted
 */
export function coerceValue(value: Literal, type: MetadataType): Literal | undefined {
  const exact = exactly(value, type);
  return exact === undefined ? leniently(value, type) : exact;
}

/** Converts a value that is in the usual notation of the type. Returns undefined for any other value. */
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
    default:
      return missingCase(type);
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

/** Returns a date-time unchanged, and a date as midnight UTC. Returns undefined for any other text. */
function dateTimeFrom(text: string | undefined): string | undefined {
  const time = text === undefined ? undefined : parseIsoTime(text);
  return time?.kind === 'date' ? time.instant : time && text;
}

/**
 * Returns the date in a text. The text may also be a date-time at midnight UTC, because clients without a date type
 * send dates in this form.
 */
function dateFrom(text: string | undefined): string | undefined {
  const time = text === undefined ? undefined : parseIsoTime(text);
  if (time === undefined) return undefined;
  const isMidnight = /T00:00:00(?:\.0+)?(?:Z|[+-]00:00)$/.test(time.instant);
  return isMidnight ? time.instant.slice(0, 10) : undefined;
}
