import type { Key } from '../language/words.js';

/** A filter as a tree of condition groups. */
export interface Group {
  readonly kind: 'group';
  readonly id: number;
  readonly mode: 'all' | 'any';
  readonly items: readonly Item[];
}

export interface Condition {
  readonly kind: 'condition';
  readonly id: number;
  readonly field: string;
  readonly operator: Operator;
  /** As typed; see `valueOf`. */
  readonly value: string;
}

export type Item = Group | Condition;

/** `value`: text that looks like JSON is JSON. `text`: always a string. */
type OperandKind = 'value' | 'text' | 'list' | 'flag';

/** The operators of docs/guide/filters.md that compare with one value or a list: label and operand. */
export const OPERATORS = {
  $eq: ['filter.operator.eq', 'value'],
  $ne: ['filter.operator.ne', 'value'],
  $gt: ['filter.operator.gt', 'value'],
  $gte: ['filter.operator.gte', 'value'],
  $lt: ['filter.operator.lt', 'value'],
  $lte: ['filter.operator.lte', 'value'],
  $in: ['filter.operator.in', 'list'],
  $nin: ['filter.operator.nin', 'list'],
  $contains: ['filter.operator.contains', 'text'],
  $regex: ['filter.operator.regex', 'text'],
  $exists: ['filter.operator.exists', 'flag'],
} as const satisfies Record<string, readonly [label: Key, operand: OperandKind]>;

export type Operator = keyof typeof OPERATORS;
export const OPERATOR_NAMES = Object.keys(OPERATORS) as Operator[];

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type FilterJson = Readonly<Record<string, Json>>;

/** The last used id. Starts above the ids that earlier pages have used, because their conditions may be restored. */
let lastId = Date.now();

export function newCondition(condition: Partial<Omit<Condition, 'kind' | 'id'>> = {}): Condition {
  return { kind: 'condition', id: (lastId += 1), field: '', operator: '$eq', value: '', ...condition };
}

export function newGroup(mode: Group['mode'], items: readonly Item[]): Group {
  return { kind: 'group', id: (lastId += 1), mode, items };
}

export interface Compiled {
  readonly json: FilterJson | null;
  /** JSON location of each condition and group, to map error locations. */
  readonly locations: ReadonlyMap<number, readonly (string | number)[]>;
}

/** Compiles the tree to JSON. Omits conditions without a field. The JSON is null if no condition is left. */
export function compile(group: Group): Compiled {
  const locations = new Map<number, readonly (string | number)[]>();
  const json = compileGroup(group, [], locations);
  return { json: json === null || Object.keys(json).length === 0 ? null : json, locations };
}

function compileGroup(
  group: Group,
  at: readonly (string | number)[],
  locations: Map<number, readonly (string | number)[]>,
): FilterJson | null {
  locations.set(group.id, at);
  const items = group.items.filter(isFilled);
  if (items.length === 0) return null;
  const [only] = items;
  const fields = items.map((item) => (item.kind === 'condition' ? nameOf(item) : ''));
  const isPlain = (group.mode === 'all' || items.length === 1) && new Set(fields).size === items.length;
  if (isPlain && !fields.includes('')) {
    // If no field occurs twice, the short form is used: {"kind": "report", "year": {"$gte": 2024}}.
    for (const item of items) locations.set(item.id, [...at, nameOf(item as Condition)]);
    return Object.fromEntries((items as Condition[]).map((item) => [nameOf(item), predicateOf(item)]));
  }
  if (items.length === 1 && only?.kind === 'group') return compileGroup(only, at, locations);
  const key = group.mode === 'all' ? '$and' : '$or';
  const members = items.map((item, index) => {
    const location = [...at, key, index];
    if (item.kind === 'group') return compileGroup(item, location, locations) ?? {};
    locations.set(item.id, [...location, nameOf(item)]);
    return { [nameOf(item)]: predicateOf(item) };
  });
  return { [key]: members };
}

/** The field name without the spaces around it that pasting may add. */
function nameOf({ field }: Condition): string {
  return field.trim();
}

function isFilled(item: Item): boolean {
  return item.kind === 'condition' ? nameOf(item) !== '' : item.items.some(isFilled);
}

function predicateOf({ operator, value }: Condition): Json {
  if (operator === '$eq') return valueOf(value);
  const kind = operandKind(operator);
  if (kind === 'list') return { [operator]: listOf(value) };
  return { [operator]: kind === 'text' ? value : valueOf(value) };
}

export function operandKind(operator: Operator): OperandKind {
  return OPERATORS[operator][1];
}

/** Parses numbers, true, false and null. Everything else is text, and so is anything in double quotes. */
export function valueOf(text: string): Json {
  const trimmed = text.trim();
  if (/^(true|false|null|-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?|".*"|[[{].*[\]}])$/s.test(trimmed)) {
    try {
      return JSON.parse(trimmed) as Json;
    } catch {
      return text;
    }
  }
  return text;
}

function listOf(text: string): Json[] {
  const whole = valueOf(text);
  if (Array.isArray(whole)) return whole as Json[];
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map(valueOf);
}

/** The inverse of `valueOf`. */
export function textOf(value: Json): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  return valueOf(value) === value && value.trim() === value ? value : JSON.stringify(value);
}

/** The tree of a filter; null if the builder cannot display it. */
export function decompile(filter: FilterJson): Group | null {
  const items = itemsOf(filter);
  if (items === null) return null;
  const [only] = items;
  return items.length === 1 && only?.kind === 'group' ? only : newGroup('all', items);
}

function itemsOf(filter: FilterJson): Item[] | null {
  const items: Item[] = [];
  for (const [key, value] of Object.entries(filter)) {
    const made = key.startsWith('$') ? groupOf(key, value) : conditionsOf(key, value);
    if (made === null) return null;
    items.push(...made);
  }
  return items;
}

function groupOf(key: string, value: Json): Item[] | null {
  if ((key !== '$and' && key !== '$or') || !Array.isArray(value)) return null;
  const items: Item[] = [];
  for (const member of value as readonly Json[]) {
    const own = isObject(member) ? itemsOf(member) : null;
    if (own === null) return null;
    const [only] = own;
    items.push(own.length === 1 && only !== undefined ? only : newGroup('all', own));
  }
  return [newGroup(key === '$and' ? 'all' : 'any', items)];
}

function conditionsOf(field: string, value: Json): Item[] | null {
  if (!isObject(value)) return [newCondition({ field, value: textOf(value) })];
  const entries = Object.entries(value);
  if (entries.length === 0 || !entries.every(([name]) => name.startsWith('$'))) {
    return [newCondition({ field, value: textOf(value) })];
  }
  const conditions: Condition[] = [];
  for (const [name, operand] of entries) {
    const operator = OPERATOR_NAMES.find((one) => one === name);
    if (operator === undefined) return null;
    const value = operandText(operator, operand);
    if (value === null) return null;
    conditions.push(newCondition({ field, operator, value }));
  }
  return conditions;
}

function operandText(operator: Operator, operand: Json): string | null {
  const kind = operandKind(operator);
  if (kind === 'text') return typeof operand === 'string' ? operand : null;
  if (kind === 'list') return Array.isArray(operand) ? listText(operand) : null;
  return textOf(operand);
}

function listText(value: Json): string {
  const members = value as readonly Json[];
  const simple = members.every((one) => typeof one !== 'object' && !String(one).includes(','));
  return simple && members.length > 0 ? members.map(textOf).join(', ') : JSON.stringify(value);
}

function isObject(value: Json): value is FilterJson {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
