import { isJsonObject } from '../json/json-object.js';
import type { Location } from '../errors/index.js';
import type { Field } from './field.js';
import { all, any, EVERYTHING, not, type Filter } from './filter.js';
import { describe } from '../metadata/json-kind.js';
import { readLiteral } from '../metadata/literal.js';
import { isOperatorName, OPERATOR_NAMES, parsePredicate } from './parse-predicate.js';
import type { ParseState } from './parse-state.js';

/** Reads what stands beside a field name: a value to equal, or an object of operators. */
export function parseFieldCondition(
  field: Field,
  operand: unknown,
  loc: Location,
  depth: number,
  state: ParseState,
): Filter {
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
  return { kind: 'equals', field, value: readLiteral(operand, loc, 'equality', state.problems) };
}

function parseOperators(
  field: Field,
  operators: Readonly<Record<string, unknown>>,
  loc: Location,
  depth: number,
  state: ParseState,
): Filter {
  const entries = Object.entries(operators);
  // The options of a pattern are no operator of their own.
  const stated = Object.hasOwn(operators, '$regex') ? entries.filter(([key]) => key !== '$options') : entries;
  return all(stated.map(([operator, operand]) => parseOperator(operator, operand, [...loc, operator])));

  function parseOperator(operator: string, operand: unknown, at: Location): Filter {
    if (operator === '$and' || operator === '$or' || operator === '$nor' || operator === '$not') {
      return state.entersDepth(depth + 1, at, operator) ? parseLogical(operator, operand, at) : EVERYTHING;
    }
    if (isOperatorName(operator)) return parsePredicate(operator, field, operand, at, operators, state);
    state.problems.add(
      at,
      operator === '$options'
        ? '$options expects a $regex beside it, got none'
        : `${operator} is not an operator: a field expects ${OPERATOR_NAMES}`,
    );
    return EVERYTHING;
  }

  function parseLogical(operator: '$and' | '$or' | '$nor' | '$not', operand: unknown, at: Location): Filter {
    if (operator === '$not') return not(member(operator, operand, at));
    const conditions = state
      .members(operator, operand, at, 'operator objects')
      .map((value, index) => member(operator, value, [...at, index]));
    if (operator === '$and') return all(conditions);
    return operator === '$or' ? any(conditions) : not(any(conditions));
  }

  function member(operator: string, value: unknown, at: Location): Filter {
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
