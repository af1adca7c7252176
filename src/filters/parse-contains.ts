import { isJsonObject } from '../json/json-object.js';
import { textDefect } from '../json/text-defect.js';
import type { Location } from '../errors/index.js';
import type { Field } from './field.js';
import { EVERYTHING, type Filter } from './filter.js';
import { describe, jsonKind } from '../metadata/json-kind.js';
import { isScalar, readLiteral } from '../metadata/literal.js';
import type { Problems } from '../metadata/problems.js';

const SHAPE =
  '$contains expects a string, {"value": string, "case_sensitive": boolean}, or a number, boolean or null';

/** Reads `$contains`: literal text in a string, or an element of an array. */
export function parseContains(field: Field, operand: unknown, loc: Location, problems: Problems): Filter {
  if (typeof operand === 'string') return containsText(field, operand, false, loc, problems);
  if (isJsonObject(operand)) return parseObject(field, operand, loc, problems);
  if (jsonKind(operand) === undefined || Array.isArray(operand)) {
    problems.add(loc, `${SHAPE}, got ${describe(operand)}`);
    return EVERYTHING;
  }
  const value = readLiteral(operand, loc, '$contains', problems);
  return value === null || isScalar(value) ? { kind: 'has-element', field, value } : EVERYTHING;
}

function parseObject(
  field: Field,
  operand: Readonly<Record<string, unknown>>,
  loc: Location,
  problems: Problems,
): Filter {
  for (const key of Object.keys(operand)) {
    if (key !== 'value' && key !== 'case_sensitive') {
      problems.add(
        [...loc, key],
        '$contains expects the keys value and case_sensitive only',
        'extra_forbidden',
      );
    }
  }
  const { value, case_sensitive: caseSensitive = false } = operand;
  if (typeof caseSensitive !== 'boolean') {
    problems.add(
      [...loc, 'case_sensitive'],
      `$contains expects true or false for case_sensitive, got ${describe(caseSensitive)}`,
      'bool_type',
    );
  }
  if (typeof value === 'string') {
    return containsText(field, value, caseSensitive === true, [...loc, 'value'], problems);
  }
  problems.add(
    [...loc, 'value'],
    `$contains expects a string for value, got ${describe(value)}`,
    value === undefined ? 'missing' : 'string_type',
  );
  return EVERYTHING;
}

function containsText(
  field: Field,
  text: string,
  caseSensitive: boolean,
  loc: Location,
  problems: Problems,
): Filter {
  const defect = textDefect(text);
  if (defect !== undefined)
    problems.add(loc, `$contains expects well-formed text, got a string with ${defect}`);
  return { kind: 'contains-text', field, text, caseSensitive };
}
