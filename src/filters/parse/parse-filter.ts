import { Invalid, type Location } from '../../errors/index.js';
import { isJsonObject } from '../../json/exact-json.js';
import { describe } from '../../metadata/literal.js';
import {
  all,
  any,
  EVERYTHING,
  fieldNameDefect,
  fieldNamed,
  not,
  type Field,
  type Filter,
} from '../filter.js';
import { readOperand, isOperatorName, OPERATOR_NAMES, parsePredicate } from './parse-predicate.js';
import { ParseState } from './parse-state.js';

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Parses the JSON of a filter into a syntax tree.
 * @param value the JSON value; null, undefined and `{}` mean no filter.
 * @param loc location of the filter in the request, for errors.
 * @returns null if there is no filter.
 * @throws Invalid with all errors, each at its operand or key.
 */
export function parseFilter(value: unknown, loc: Location): Filter | null {
  if (value === null || value === undefined) return null;
  if (!isJsonObject(value)) {
    throw Invalid.at(loc, `a filter expects an object, got ${describe(value)}`, 'dict_type');
  }
  const state = new ParseState();
  const filter = parseFilterObject(value, loc, 0, state);
  state.problems.throwIfAny();
  return Object.keys(value).length === 0 ? null : filter;
}

function parseFilterObject(value: JsonObject, loc: Location, depth: number, state: ParseState): Filter {
  return all(
    Object.entries(value).map(([key, operand]) =>
      key.startsWith('$')
        ? parseCombination(key, operand, [...loc, key], depth + 1, state)
        : parseField(key, operand, [...loc, key], depth, state),
    ),
  );
}

function parseCombination(
  operator: string,
  operand: unknown,
  loc: Location,
  depth: number,
  state: ParseState,
): Filter {
  if (!state.entersDepth(depth, loc, operator)) return EVERYTHING;
  if (!isLogicalName(operator)) {
    state.problems.add(
      loc,
      `${operator} is not an operator here: a filter expects $and, $or, $nor, $not or field names`,
    );
    return EVERYTHING;
  }
  if (operator === '$not') return not(member(operand, loc));
  const values = state.members(operator, operand, loc, 'filter objects');
  return COMBINE[operator](values.map((value, index) => member(value, [...loc, index])));

  function member(value: unknown, at: Location): Filter {
    if (isJsonObject(value)) return parseFilterObject(value, at, depth, state);
    state.problems.add(at, `${operator} expects filter objects, got ${describe(value)}`, 'dict_type');
    return EVERYTHING;
  }
}

/** Parses the operand of a field name: a value for equality, or an object of operators. */
function parseField(name: string, operand: unknown, loc: Location, depth: number, state: ParseState): Filter {
  const defect = fieldNameDefect(name);
  if (defect !== undefined) state.problems.add(loc, defect);
  const field = fieldNamed(name);
  if (isJsonObject(operand)) {
    const keys = Object.keys(operand);
    const operators = keys.filter((key) => key.startsWith('$'));
    if (operators.length > 0 && operators.length < keys.length) {
      state.problems.add(
        loc,
        'a field expects either operators or a value, got an object that mixes $ keys with plain keys',
      );
      return EVERYTHING;
    }
    if (operators.length > 0) return parseOperators(field, operand, loc, depth, state);
  }
  state.countPredicate(field, loc);
  if (!state.allowsOperand(operand, loc)) return EVERYTHING;
  return { kind: 'equals', field, value: readOperand(operand, loc, 'equality', state.problems) };
}

function parseOperators(
  field: Field,
  operators: JsonObject,
  loc: Location,
  depth: number,
  state: ParseState,
): Filter {
  const entries = Object.entries(operators);
  // `$options` beside `$regex` is a part of the pattern, not a separate operator.
  const predicates = Object.hasOwn(operators, '$regex')
    ? entries.filter(([key]) => key !== '$options')
    : entries;
  return all(predicates.map(([operator, operand]) => parseOperator(operator, operand, [...loc, operator])));

  function parseOperator(operator: string, operand: unknown, at: Location): Filter {
    if (isLogicalName(operator)) {
      return state.entersDepth(depth + 1, at, operator) ? combine(operator, operand, at) : EVERYTHING;
    }
    if (isOperatorName(operator)) return parsePredicate(operator, field, operand, at, operators, state);
    state.problems.add(
      at,
      operator === '$options'
        ? '$options expects a $regex in the same object, got none'
        : `${operator} is not an operator: a field expects ${OPERATOR_NAMES}`,
    );
    return EVERYTHING;
  }

  function combine(operator: LogicalName, operand: unknown, at: Location): Filter {
    if (operator === '$not') return not(member(operator, operand, at));
    const values = state.members(operator, operand, at, 'operator objects');
    return COMBINE[operator](values.map((value, index) => member(operator, value, [...at, index])));
  }

  function member(operator: LogicalName, value: unknown, at: Location): Filter {
    if (!isJsonObject(value)) {
      state.problems.add(
        at,
        `${operator} expects an object of operators, got ${describe(value)}`,
        'dict_type',
      );
      return EVERYTHING;
    }
    const keys = Object.keys(value);
    const plain = keys.find((key) => !key.startsWith('$'));
    if (keys.length === 0 || plain !== undefined) {
      const got =
        plain === undefined
          ? 'an empty object'
          : `an object with the plain key ${JSON.stringify(plain.slice(0, 40))}`;
      state.problems.add(at, `${operator} expects an object of operators, got ${got}`);
      return EVERYTHING;
    }
    return parseOperators(field, value, at, depth + 1, state);
  }
}

const COMBINE = {
  $and: all,
  $or: any,
  $nor: (filters: readonly Filter[]) => not(any(filters)),
};

type LogicalName = keyof typeof COMBINE | '$not';

function isLogicalName(name: string): name is LogicalName {
  return name === '$not' || Object.hasOwn(COMBINE, name);
}
