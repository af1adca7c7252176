import type { Location } from '../errors/index.js';
import type { Field } from './field.js';
import { EVERYTHING, not, type Filter, type Order } from './filter.js';
import { describe, jsonKind } from '../metadata/json-kind.js';
import { readLiteral, type Literal, type Scalar } from '../metadata/literal.js';
import { metadataTypeNamed, METADATA_TYPES, type MetadataType } from '../metadata/metadata-type.js';
import { parseContains } from './parse-contains.js';
import { parseRegex } from './parse-regex.js';
import type { ParseState } from './parse-state.js';

const MOST_MEMBERS = 10_000;

interface Operand {
  readonly operator: string;
  readonly field: Field;
  readonly value: unknown;
  readonly loc: Location;
  /** The operators beside this one: `$options` belongs to `$regex`. */
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

/** For messages. */
export const OPERATOR_NAMES = [...Object.keys(PARSERS), '$not', '$and', '$or', '$nor'].join(', ');

export function isOperatorName(name: string): name is OperatorName {
  return Object.hasOwn(PARSERS, name);
}

/** Reads one operator of a field that is not a logical one. */
export function parsePredicate(
  operator: OperatorName,
  field: Field,
  value: unknown,
  loc: Location,
  siblings: Readonly<Record<string, unknown>>,
  state: ParseState,
): Filter {
  state.countPredicate(field, loc);
  return PARSERS[operator]({ operator, field, value, loc, siblings, state });
}

function equals({ operator, field, value, loc, state }: Operand): Filter {
  return { kind: 'equals', field, value: readLiteral(value, loc, operator, state.problems) };
}

function compares(order: Order): (operand: Operand) => Filter {
  return ({ operator, field, value, loc, state }) => {
    const kind = jsonKind(value);
    if (kind !== 'number' && kind !== 'string' && kind !== 'boolean') {
      state.problems.add(loc, `${operator} expects a number, a string or a boolean, got ${describe(value)}`);
      return EVERYTHING;
    }
    const operand = readLiteral(value, loc, operator, state.problems) as Scalar;
    return { kind: 'compares', field, order, operand };
  };
}

function within({ operator, field, value, loc, state }: Operand): Filter {
  if (!Array.isArray(value)) {
    state.problems.add(loc, `${operator} expects an array, got ${describe(value)}`, 'list_type');
    return EVERYTHING;
  }
  if (value.length > MOST_MEMBERS) {
    state.problems.add(loc, `${operator} expects at most ${MOST_MEMBERS} members, got ${value.length}`);
    return EVERYTHING;
  }
  const values = readLiteral(value, loc, operator, state.problems) as readonly Literal[];
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
