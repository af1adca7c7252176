import { ExactNumber } from '../json/exact-number.js';

export type JsonKind = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object';

/** The JSON type of a parsed value; undefined for what JSON cannot hold. */
export function jsonKind(value: unknown): JsonKind | undefined {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (value instanceof ExactNumber) return 'number';
  switch (typeof value) {
    case 'boolean':
    case 'number':
    case 'string':
    case 'object':
      return typeof value as JsonKind;
    default:
      return undefined;
  }
}

const SHOWN = 40;

/** What was got, for an error message: the kind, with the value where it is short enough to help. */
export function describe(value: unknown): string {
  const kind = jsonKind(value);
  switch (kind) {
    case undefined:
      return 'nothing';
    case 'null':
      return 'null';
    case 'array':
    case 'object':
      return `an ${kind}`;
    case 'string': {
      const text = String(value);
      return text.length > SHOWN ? 'a long string' : `the string ${JSON.stringify(text)}`;
    }
    default:
      return `the ${kind} ${String(value).slice(0, SHOWN)}`;
  }
}
