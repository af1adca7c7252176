import { Query } from 'mingo';
import { ExactNumber, isJsonObject } from '../../src/json/exact-json.js';
import { metadataTypeNamed } from '../../src/metadata/metadata-type.js';
import { normaliseDecimal } from '../../src/metadata/literal.js';
import { parseIsoTime } from '../../src/metadata/temporal.js';
import { compareNumbers } from './compare-numbers.js';
import { reached } from './reached.js';

export interface StoredDocument {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly metadataTypes: Readonly<Record<string, string>>;
  readonly filename: string | null;
  readonly externalId: string;
}

type Json = Readonly<Record<string, unknown>>;

/**
 * Returns whether mingo, an independent implementation of MongoDB's query language, matches the document.
 * Filters are rewritten for the differences listed in the specification of the filter language, and for the
 * cases where mingo itself departs from MongoDB; each rewrite has its reason beside it.
 */
export function mingoMatches(document: StoredDocument, filter: Json): boolean {
  return Object.entries(filter).every(([key, operand]) => {
    switch (key) {
      case '$and':
        return (operand as Json[]).every((each) => mingoMatches(document, each));
      case '$or':
        return (operand as Json[]).some((each) => mingoMatches(document, each));
      case '$nor':
        return !(operand as Json[]).some((each) => mingoMatches(document, each));
      // Difference: top-level `$not` takes a filter object.
      case '$not':
        return !mingoMatches(document, operand as Json);
      default:
        return holds(document, key, operand);
    }
  });
}

function holds(document: StoredDocument, field: string, condition: unknown): boolean {
  if (!isJsonObject(condition) || !Object.keys(condition).some((key) => key.startsWith('$'))) {
    return asks(document, field, '$eq', condition);
  }
  return Object.entries(condition).every(([operator, operand]) => {
    switch (operator) {
      // Difference: `$and`, `$or` and `$nor` are allowed inside a field.
      case '$and':
        return (operand as Json[]).every((each) => holds(document, field, each));
      case '$or':
        return (operand as Json[]).some((each) => holds(document, field, each));
      case '$nor':
        return !(operand as Json[]).some((each) => holds(document, field, each));
      case '$not':
        return !holds(document, field, operand);
      case '$ne':
        return !asks(document, field, '$eq', operand);
      // mingo's `$in` does not compare a member with a whole array and does not look into arrays behind a
      // dotted path. Its `$eq` does both, and MongoDB defines `$in` by `$eq`.
      case '$in':
        return (operand as unknown[]).some((member) => asks(document, field, '$eq', member));
      case '$nin':
        return !(operand as unknown[]).some((member) => asks(document, field, '$eq', member));
      case '$options':
        return true;
      case '$regex':
        return asks(document, field, '$regex', regexOf(operand, condition['$options']));
      default:
        return asks(document, field, operator, operand);
    }
  });
}

/**
 * Difference: flags are an object. mingo takes JavaScript expressions; `u` makes them count characters like
 * the service.
 */
function regexOf(operand: unknown, options: unknown): RegExp {
  const { pattern, flags = '' } = isJsonObject(operand) ? operand : { pattern: operand };
  return new RegExp(String(pattern), `${String(flags)}${typeof options === 'string' ? options : ''}u`);
}

/** Evaluates one positive operator of one field. */
function asks(document: StoredDocument, field: string, operator: string, operand: unknown): boolean {
  const { value, path, type } = located(document, field);
  const values = reached(value, path);
  switch (operator) {
    case '$contains':
      return contains(values, operand);
    case '$type':
      return (Array.isArray(operand) ? operand : [operand]).some((name) =>
        hasType(values, type, String(name)),
      );
    default:
  }
  const [stored, wanted] = typed(value, operand, type, operator);
  if (stored === UNORDERED) return false;
  const numbers = numbersIn([stored, wanted]);
  const comparable = (each: unknown) => (operator === '$regex' ? each : encoded(each, numbers));
  const query = new Query({
    [['x', ...path.map(safeKey)].join('.')]: { [operator]: comparable(wanted) },
  });
  if (!crossesArray(value, path)) {
    return query.test(value === undefined ? {} : { x: comparable(stored) });
  }
  return asksEach(reached(stored, path), operator, comparable(wanted), comparable);
}

/**
 * Behind arrays mingo collects the values into one array: it treats the collection as the value of the field
 * (`a.b` = [1, 2] matches [{b: 1}, {b: 2}]), unwraps arrays of arrays, drops elements without the key
 * (MongoDB: `a.b` = null matches [{b: 3}, {}]), and does not look into collected arrays. So mingo evaluates
 * each value that the path reaches by MongoDB's rules.
 */
function asksEach(
  values: readonly unknown[],
  operator: string,
  wanted: unknown,
  comparable: (value: unknown) => unknown,
): boolean {
  const query = new Query({ x: { [operator]: wanted } });
  if (operator === '$exists') return values.some((value) => value !== undefined) === wanted;
  return values.some((value) => {
    // mingo's `$regex` unwraps arrays of arrays.
    const elements =
      Array.isArray(value) && operator === '$regex' ? value.filter((each) => !Array.isArray(each)) : value;
    return query.test(elements === undefined ? {} : { x: comparable(elements) });
  });
}

interface Located {
  readonly value: unknown;
  readonly path: readonly string[];
  readonly type: string | undefined;
}

/** Differences: reserved names, and a top-level key spelled like the dotted name. */
function located(document: StoredDocument, field: string): Located {
  const { metadata, metadataTypes } = document;
  if (field === 'external_id') return { value: document.externalId, path: [], type: 'string' };
  if (field === 'filename') return { value: document.filename ?? undefined, path: [], type: 'string' };
  if (Object.hasOwn(metadata, field)) return { value: metadata[field], path: [], type: metadataTypes[field] };
  const [first = '', ...path] = field.split('.');
  const value = Object.hasOwn(metadata, first) ? metadata[first] : undefined;
  return { value, path, type: path.length === 0 ? metadataTypes[first] : undefined };
}

/**
 * Returns whether mingo would meet an array before the end of the path, or an array of arrays at its end,
 * which it unwraps once per dot (and always for `$regex`).
 */
function crossesArray(value: unknown, path: readonly string[]): boolean {
  if (Array.isArray(value)) return path.length > 0 || value.some(Array.isArray);
  const [key, ...rest] = path;
  if (key === undefined || !isJsonObject(value)) return false;
  return Object.hasOwn(value, key) && crossesArray(value[key], rest);
}

const UNORDERED = Symbol('a typed value that the operand is of another type than');

/**
 * Difference: typed dates and decimals compare by value, as numbers. mingo's dates have milliseconds only.
 */
function typed(
  value: unknown,
  operand: unknown,
  type: string | undefined,
  operator: string,
): [unknown, unknown] {
  const compares = ['$eq', '$gt', '$gte', '$lt', '$lte'].includes(operator);
  if (!compares || typeof value !== 'string') return [value, operand];
  if (type === 'decimal') {
    const number = normaliseDecimal(
      isScalarNumber(operand) || typeof operand === 'string' ? String(operand) : '',
    );
    if (number === undefined) return [operator === '$eq' ? value : UNORDERED, operand];
    return [new ExactNumber(value), new ExactNumber(number)];
  }
  if (type === 'date' || type === 'datetime') {
    const wanted = typeof operand === 'string' ? parseIsoTime(operand) : undefined;
    if (wanted === undefined) return [operator === '$eq' ? value : UNORDERED, operand];
    return [microseconds(parseIsoTime(value)?.instant ?? ''), microseconds(wanted.instant)];
  }
  return [value, operand];
}

function microseconds(instant: string): ExactNumber {
  const [, before = '', fraction = '', zone = ''] = /^(.{19})(?:\.(\d+))?(.+)$/.exec(instant) ?? [];
  const beyond = fraction.padEnd(6, '0').slice(0, 6);
  return new ExactNumber(String(BigInt(Date.parse(before + zone)) * 1000n + BigInt(beyond)));
}

function isScalarNumber(value: unknown): boolean {
  return typeof value === 'number' || value instanceof ExactNumber;
}

/** Returns the distinct numbers among the values, sorted. */
function numbersIn(values: readonly unknown[]): readonly string[] {
  const found = new Set<string>();
  const visit = (value: unknown): void => {
    if (isScalarNumber(value)) found.add(normaliseDecimal(String(value)) ?? String(value));
    else if (typeof value === 'string') {
      const decimal = normaliseDecimal(value);
      if (decimal !== undefined) found.add(decimal);
    } else if (typeof value === 'object' && value !== null) Object.values(value).forEach(visit);
  };
  values.forEach(visit);
  return [...found].sort(compareNumbers);
}

/**
 * Encodes a value for mingo. Numbers become their rank among the given numbers: mingo has doubles only, the
 * service compares exactly. Every character past U+FFFF gets a prefix: mingo orders by UTF-16 units, the
 * service by code points. `__proto__` is renamed: mingo rejects it, and to the service it is an ordinary key.
 */
function encoded(value: unknown, numbers: readonly string[]): unknown {
  if (isScalarNumber(value)) return numbers.indexOf(normaliseDecimal(String(value)) ?? String(value));
  if (typeof value === 'string') return value.replace(/[\u{10000}-\u{10ffff}]/gu, '\uffff$&');
  if (Array.isArray(value)) return value.map((each) => encoded(each, numbers));
  if (!isJsonObject(value) || value instanceof RegExp) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [safeKey(key), encoded(member, numbers)]),
  );
}

function safeKey(key: string): string {
  return key === '__proto__' ? '(proto)' : key;
}

/** Difference: `$contains` exists in the service only. */
function contains(values: readonly unknown[], operand: unknown): boolean {
  if (typeof operand === 'string' || isJsonObject(operand)) {
    const { value, case_sensitive: caseSensitive = false } = isJsonObject(operand)
      ? operand
      : { value: operand };
    const literal = String(value).replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
    const expression = new RegExp(literal, caseSensitive === true ? 'u' : 'iu');
    return values.flatMap((each) => each).some((each) => typeof each === 'string' && expression.test(each));
  }
  const equals = (element: unknown) =>
    isScalarNumber(element) && isScalarNumber(operand)
      ? normaliseDecimal(String(element)) === normaliseDecimal(String(operand))
      : element === operand;
  return values.some((each) => Array.isArray(each) && each.some(equals));
}

/** Difference: `$type` has other type names and knows declared types. */
function hasType(values: readonly unknown[], declared: string | undefined, name: string): boolean {
  const wanted = metadataTypeNamed(name);
  return values.some((value) => {
    if (value === undefined) return false;
    if (typeof value === 'string' && declared !== undefined && declared !== 'array')
      return wanted === declared;
    return [value, ...(Array.isArray(value) ? (value as unknown[]) : [])].some(
      (each) => kindOf(each) === wanted,
    );
  });
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return value instanceof ExactNumber ? 'number' : typeof value;
}
