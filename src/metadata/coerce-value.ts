import { ExactNumber, isCarriedByDouble } from '../json/exact-number.js';
import { normaliseDecimal } from './decimal.js';
import { jsonKind } from './json-kind.js';
import type { Literal } from './literal.js';
import type { MetadataType } from './metadata-type.js';
import { parseIsoTime } from './temporal.js';

/** The value as its type stores it; undefined when it cannot be one without loss. Null is a value of every type. */
export function coerceValue(value: Literal, type: MetadataType): Literal | undefined {
  if (value === null) return null;
  switch (type) {
    case 'string':
      return isNumeric(value) || typeof value === 'boolean' ? String(value) : stringOnly(value);
    case 'number':
      return isNumeric(value) ? value : numberFrom(stringOnly(value));
    case 'decimal':
      return isNumeric(value) || typeof value === 'string' ? normaliseDecimal(String(value)) : undefined;
    case 'boolean':
      return typeof value === 'boolean' ? value : booleanFrom(stringOnly(value));
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

function booleanFrom(text: string | undefined): boolean | undefined {
  const lower = text?.toLowerCase();
  if (lower === 'true') return true;
  return lower === 'false' ? false : undefined;
}

/** A date alone is its midnight UTC. */
function dateTimeFrom(text: string | undefined): string | undefined {
  const time = text === undefined ? undefined : parseIsoTime(text);
  return time?.kind === 'date' ? time.instant : time && text;
}

/** A date-time is a date only when it is midnight UTC: clients without a date type send dates so. */
function dateFrom(text: string | undefined): string | undefined {
  const time = text === undefined ? undefined : parseIsoTime(text);
  if (time === undefined) return undefined;
  const isMidnight = /T00:00:00(?:\.0+)?(?:Z|[+-]00:00)$/.test(time.instant);
  return isMidnight ? time.instant.slice(0, 10) : undefined;
}
