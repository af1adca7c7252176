import type { Location, Problems } from '../../errors/index.js';
import { isJsonObject } from '../../json/exact-json.js';
import { composed, composedJson } from '../../json/spelling.js';
import { textDefect } from '../../json/storable.js';
import {
  describe,
  isScalar,
  jsonKind,
  type Literal,
  type Scalar,
  readLiteral,
} from '../../metadata/literal.js';
import { metadataTypeNamed, METADATA_TYPES, type MetadataType } from '../../metadata/metadata-type.js';
import { EVERYTHING, not, type Field, type Filter, type Order } from '../filter.js';
import { parseRegex } from './parse-regex.js';
import type { ParseState } from './parse-state.js';

const MAX_MEMBERS = 10_000;

interface Operand {
  readonly operator: string;
  readonly field: Field;
  readonly value: unknown;
  readonly loc: Location;
  /** All operators of the same object; `$regex` needs its sibling `$options`. */
  readonly siblings: Readonly<Record<string, unknown>>;
  readonly state: ParseState;
}

const PARSERS = {
  $eq: equals,
  $ne: (operand: Operand) => not(equals(operand)),
  $gt: compares('gt'),
  $gte: compares('gte'),
  $lt: compares('lt'),
  $lte: compares('lte'),
  $in: within,
  $nin: (operand: Operand) => not(within(operand)),
  $exists: exists,
  $type: hasType,
  $regex: ({ field, value, siblings, loc, state }: Operand) =>
    parseRegex(field, value, siblings['$options'], loc, state),
  $contains: ({ field, value, loc, state }: Operand) => parseContains(field, value, loc, state.problems),
} satisfies Record<string, (operand: Operand) => Filter>;

type OperatorName = keyof typeof PARSERS;

/** The operators that compare a field with an operand. */
export const COMPARING_OPERATORS = Object.keys(PARSERS) as readonly OperatorName[];

export const OPERATOR_NAMES = [...COMPARING_OPERATORS, '$not', '$and', '$or', '$nor'].join(', ');

export function isOperatorName(name: string): name is OperatorName {
  return Object.hasOwn(PARSERS, name);
}

export function parsePredicate(
  operator: OperatorName,
  field: Field,
  value: unknown,
  loc: Location,
  siblings: Readonly<Record<string, unknown>>,
  state: ParseState,
): Filter {
  state.countPredicate(field, loc);
  if (!state.allowsOperand(value, loc)) return EVERYTHING;
  return PARSERS[operator]({ operator, field, value, loc, siblings, state });
}

function equals({ operator, field, value, loc, state }: Operand): Filter {
  return { kind: 'equals', field, value: readOperand(value, loc, operator, state.problems) };
}

function compares(order: Order): (operand: Operand) => Filter {
  return ({ operator, field, value, loc, state }) => {
    const kind = jsonKind(value);
    if (kind !== 'number' && kind !== 'string' && kind !== 'boolean') {
      state.problems.add(loc, `${operator} expects a number, a string or a boolean, got ${describe(value)}`);
      return EVERYTHING;
    }
    const operand = readOperand(value, loc, operator, state.problems) as Scalar;
    return { kind: 'compares', field, order, operand };
  };
}

function within({ operator, field, value, loc, state }: Operand): Filter {
  if (!Array.isArray(value)) {
    state.problems.add(loc, `${operator} expects an array, got ${describe(value)}`, 'list_type');
    return EVERYTHING;
  }
  if (value.length > MAX_MEMBERS) {
    state.problems.add(loc, `${operator} expects at most ${MAX_MEMBERS} members, got ${value.length}`);
    return EVERYTHING;
  }
  const values = readOperand(value, loc, operator, state.problems) as readonly Literal[];
  for (const [index, member] of values.entries()) {
    const name = isJsonObject(member) ? Object.keys(member).find(isOperatorName) : undefined;
    if (name === undefined) continue;
    state.problems.add(
      [...loc, index],
      `${operator} expects values, got an object with the operator ${name}`,
    );
  }
  return { kind: 'in', field, values };
}

function exists({ operator, field, value, loc, state }: Operand): Filter {
  if (typeof value !== 'boolean') {
    state.problems.add(loc, `${operator} expects true or false, got ${describe(value)}`, 'bool_type');
    return EVERYTHING;
  }
  return value ? { kind: 'exists', field } : not({ kind: 'exists', field });
}

function hasType({ operator, field, value, loc, state }: Operand): Filter {
  const names = Array.isArray(value)
    ? state.members(operator, value, loc, 'type names').map((name, index) => ({ name, at: [...loc, index] }))
    : [{ name: value, at: loc }];
  const types = new Set<MetadataType>();
  for (const { name, at } of names) {
    const type = typeof name === 'string' ? metadataTypeNamed(name) : undefined;
    if (type !== undefined) types.add(type);
    else
      state.problems.add(
        at,
        `${operator} expects one of ${METADATA_TYPES.join(', ')}, got ${describe(name)}`,
      );
  }
  return { kind: 'has-type', field, types: [...types] };
}

const CONTAINS_SHAPE =
  '$contains expects a string, {"value": string, "case_sensitive": boolean}, or a number, boolean or null';

function parseContains(field: Field, operand: unknown, loc: Location, problems: Problems): Filter {
  if (typeof operand === 'string') return containsText(field, operand, false, loc, problems);
  if (isJsonObject(operand)) return parseContainsObject(field, operand, loc, problems);
  if (jsonKind(operand) === undefined || Array.isArray(operand)) {
    problems.add(loc, `${CONTAINS_SHAPE}, got ${describe(operand)}`);
    return EVERYTHING;
  }
  const value = readOperand(operand, loc, '$contains', problems);
  return value === null || isScalar(value) ? { kind: 'has-element', field, value } : EVERYTHING;
}

function parseContainsObject(
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
  return { kind: 'contains-text', field, text: composed(text), caseSensitive };
}

/** Reads the operand of a comparison like {@link readLiteral}, in the spelling in which metadata is compared. */
export function readOperand(value: unknown, loc: Location, operator: string, problems: Problems): Literal {
  return composedJson(readLiteral(value, loc, operator, problems));
}
