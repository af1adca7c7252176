import type { ApiPropertyOptions } from '@nestjs/swagger';
import { type Location } from '../../errors/index.js';
import { all, any, EVERYTHING, fieldNameDefect, not, type Field, type Filter } from '../../filters/filter.js';
import { readOperand } from '../../filters/parse/parse-predicate.js';
import { ParseState } from '../../filters/parse/parse-state.js';
import { isJsonObject } from '../../json/exact-json.js';
import { describe, isScalar, type Literal, type Scalar } from '../../metadata/literal.js';
import { metadataKeyOf } from '../attributes.js';

const COMPARISONS = {
  eq: equals,
  ne: (operand: Operand) => not(equals(operand)),
  gt: compares('gt'),
  gte: compares('gte'),
  lt: compares('lt'),
  lte: compares('lte'),
  in: within,
  nin: (operand: Operand) => not(within(operand)),
} satisfies Record<string, (operand: Operand) => Filter>;

type Comparison = keyof typeof COMPARISONS;

const COMPOUNDS = { and: all, or: any };

type Compound = keyof typeof COMPOUNDS;

const TYPES = [...Object.keys(COMPARISONS), ...Object.keys(COMPOUNDS)].join(', ');

interface Operand {
  readonly type: string;
  readonly field: Field;
  readonly value: unknown;
  readonly loc: Location;
  readonly state: ParseState;
}

/**
 * Parses an OpenAI filter on attributes to a tree of predicates.
 * @throws Invalid with every error.
 */
export function parseAttributeFilter(value: unknown, loc: Location): Filter {
  const state = new ParseState();
  const filter = parse(value, loc, 0, state);
  state.problems.throwIfAny();
  return filter;
}

function parse(value: unknown, loc: Location, depth: number, state: ParseState): Filter {
  if (!isJsonObject(value)) {
    state.problems.add(loc, `a filter expects an object, got ${describe(value)}`, 'dict_type');
    return EVERYTHING;
  }
  const { type } = value;
  if (isOneOf(COMPOUNDS, type)) return compound(type, value['filters'], loc, depth + 1, state);
  if (isOneOf(COMPARISONS, type)) return comparison(type, value, loc, state);
  state.problems.add([...loc, 'type'], `a filter expects one of the types ${TYPES}, got ${describe(type)}`);
  return EVERYTHING;
}

function isOneOf<T extends object>(table: T, name: unknown): name is keyof T & string {
  return typeof name === 'string' && Object.hasOwn(table, name);
}

function compound(type: Compound, filters: unknown, loc: Location, depth: number, state: ParseState): Filter {
  if (!state.entersDepth(depth, loc, type)) return EVERYTHING;
  const at = [...loc, 'filters'];
  const members = state.members(type, filters, at, 'filters');
  return COMPOUNDS[type](members.map((member, index) => parse(member, [...at, index], depth, state)));
}

function comparison(
  type: Comparison,
  { key, value }: Readonly<Record<string, unknown>>,
  loc: Location,
  state: ParseState,
): Filter {
  const defect =
    typeof key === 'string' ? fieldNameDefect(key) : `a key expects a string, got ${describe(key)}`;
  if (typeof key !== 'string' || defect !== undefined) {
    state.problems.add([...loc, 'key'], defect ?? '');
    return EVERYTHING;
  }
  const name = metadataKeyOf(key);
  // An attribute name is not a path: its dots are part of the name.
  const field = { kind: 'metadata', name, path: [name] } as const;
  const at = [...loc, 'value'];
  state.countPredicate(field, loc);
  if (!state.allowsOperand(value, at)) return EVERYTHING;
  return COMPARISONS[type]({ type, field, value, loc: at, state });
}

function equals({ field, ...operand }: Operand): Filter {
  const value = scalar(operand);
  return value === undefined ? EVERYTHING : { kind: 'equals', field, value };
}

function compares(order: 'gt' | 'gte' | 'lt' | 'lte'): (operand: Operand) => Filter {
  return ({ field, ...given }) => {
    const operand = scalar(given);
    return operand === undefined ? EVERYTHING : { kind: 'compares', field, order, operand };
  };
}

function scalar({ type, value, loc, state }: Omit<Operand, 'field'>): Scalar | undefined {
  const literal = value === undefined ? null : readOperand(value, loc, type, state.problems);
  if (isScalar(literal)) return literal;
  state.problems.add(loc, `${type} expects a string, a number or a boolean, got ${describe(value)}`);
  return undefined;
}

function within({ type, field, value, loc, state }: Operand): Filter {
  if (!Array.isArray(value)) {
    state.problems.add(loc, `${type} expects an array, got ${describe(value)}`, 'list_type');
    return EVERYTHING;
  }
  const values = (value as unknown[]).flatMap((member, index): Literal[] => {
    const one = scalar({ type, value: member, loc: [...loc, index], state });
    return one === undefined ? [] : [one];
  });
  return { kind: 'in', field, values };
}

const SCALAR = [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }];

export const FILTER_SCHEMA: ApiPropertyOptions = {
  type: 'object',
  additionalProperties: false,
  required: ['type'],
  properties: {
    type: { type: 'string', enum: [...Object.keys(COMPARISONS), ...Object.keys(COMPOUNDS)] },
    key: { type: 'string', description: 'Of a comparison: the attribute.' },
    value: {
      description: 'Of a comparison: the value that the attribute is compared with.',
      oneOf: [...SCALAR, { type: 'array', items: { oneOf: SCALAR } }],
    },
    filters: {
      type: 'array',
      items: { type: 'object', additionalProperties: true },
      description: 'Of `and` and `or`: the filters that they combine.',
    },
  },
};
