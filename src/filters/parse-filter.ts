import { isJsonObject } from '../json/json-object.js';
import { Invalid, type Location } from '../errors/index.js';
import { fieldNameDefect, fieldNamed } from './field.js';
import { all, any, EVERYTHING, not, type Filter } from './filter.js';
import { describe } from '../metadata/json-kind.js';
import { parseFieldCondition } from './parse-field-condition.js';
import { ParseState } from './parse-state.js';

/**
 * Reads the JSON of a filter into its tree.
 * @param value what the request carries; null, undefined and `{}` are no filter.
 * @param loc where the filter stands in the request, for the errors.
 * @returns null when there is no filter.
 * @throws Invalid with everything that is wrong, each at the operand or key that is.
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

function parseFilterObject(
  value: Readonly<Record<string, unknown>>,
  loc: Location,
  depth: number,
  state: ParseState,
): Filter {
  return all(
    Object.entries(value).map(([key, operand]) =>
      key.startsWith('$')
        ? parseLogical(key, operand, [...loc, key], depth + 1, state)
        : parseField(key, operand, [...loc, key], depth, state),
    ),
  );
}

function parseField(name: string, operand: unknown, loc: Location, depth: number, state: ParseState): Filter {
  const defect = fieldNameDefect(name);
  if (defect !== undefined) state.problems.add(loc, defect);
  return parseFieldCondition(fieldNamed(name), operand, loc, depth, state);
}

function parseLogical(
  operator: string,
  operand: unknown,
  loc: Location,
  depth: number,
  state: ParseState,
): Filter {
  if (!state.entersDepth(depth, loc, operator)) return EVERYTHING;
  const member = (value: unknown, at: Location): Filter => {
    if (isJsonObject(value)) return parseFilterObject(value, at, depth, state);
    state.problems.add(at, `${operator} expects filter objects, got ${describe(value)}`, 'dict_type');
    return EVERYTHING;
  };
  switch (operator) {
    case '$and':
      return all(
        state
          .members(operator, operand, loc, 'filter objects')
          .map((value, index) => member(value, [...loc, index])),
      );
    case '$or':
      return any(
        state
          .members(operator, operand, loc, 'filter objects')
          .map((value, index) => member(value, [...loc, index])),
      );
    case '$nor':
      return not(
        any(
          state
            .members(operator, operand, loc, 'filter objects')
            .map((value, index) => member(value, [...loc, index])),
        ),
      );
    case '$not':
      return not(member(operand, loc));
    default:
      state.problems.add(
        loc,
        `${operator} is not an operator here: a filter expects $and, $or, $nor, $not or field names`,
      );
      return EVERYTHING;
  }
}
