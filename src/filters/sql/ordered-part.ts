import sql, { join, type Sql } from 'sql-template-tag';
import { decimalsAmong, normaliseDecimal } from '../../metadata/decimal.js';
import { isScalar, type Literal, type Scalar } from '../../metadata/literal.js';
import { parseIsoTime } from '../../metadata/temporal.js';
import { all, conditionsOf, membershipOf, type Field, type Filter, type Predicate } from '../filter.js';
import { compileFilter } from './compile-filter.js';
import { either, ORDER_OPERATORS } from './expressions.js';
import { isTopLevel } from './metadata-jsonpath.js';
import { typeOf } from './metadata-value.js';

/** Parts one of which a document meets. */
interface Alternatives {
  readonly kind: 'alternatives';
  readonly parts: readonly (Range | Points)[];
}

/** A condition that an index over `metadata_order` serves and no other: a range, or an OR of ranges and points. */
export type OrderedPart = Range | Alternatives;

/** Past so many alternatives a statement takes longer to plan than to run. */
const MAX_ALTERNATIVES = 16;

/** The parts that every document of a filter meets. An OR of points alone is left to the indexes over the metadata. */
export function orderedPartsOf(filter: Filter): readonly OrderedPart[] {
  const alternatives = alternativesOf(filter).filter(({ parts }) =>
    parts.some(({ kind }) => kind === 'range'),
  );
  return [...rangesOf(filter), ...alternatives];
}

/** The ORs each of whose alternatives has a range or points: one part of each. */
function alternativesOf(filter: Filter): readonly Alternatives[] {
  return conditionsOf(filter).flatMap((condition) => {
    if (condition.kind !== 'any') return [];
    const chosen = condition.filters.flatMap((each) =>
      [...rangesOf(each), ...pointsOf(each), ...alternativesOf(each)].slice(0, 1),
    );
    const parts = chosen.flatMap((part) => (part.kind === 'alternatives' ? part.parts : [part]));
    const areAll = parts.length > 0 && chosen.length === condition.filters.length;
    return areAll && parts.length <= MAX_ALTERNATIVES ? [{ kind: 'alternatives', parts }] : [];
  });
}

/** Selects the ids of the tenant's documents that meet the part, and of some that do not; an id may come twice. */
function idsIn(appId: string, part: OrderedPart | Points): Sql {
  switch (part.kind) {
    case 'range':
      return idsWithin(appId, part);
    case 'points':
      return idsAt(appId, part);
    case 'alternatives':
      return join(
        part.parts.map((each) => idsIn(appId, each)),
        ' union all ',
      );
  }
}

/**
 * A condition that every document in the part meets and that an index serves. Others meet it too, so the filter itself
 * has to be tested beside it.
 *
 * The ids are an array, because PostgreSQL underestimates the cost of a filter over jsonb and would join after reading
 * every document. It takes any such array for ten ids and prefers it to every other index.
 */
export function withinPart(appId: string, part: OrderedPart): Sql {
  return sql`d.external_id = any(array(${idsIn(appId, part)}))`;
}

/** Whether a document that the statement already has is about one that {@link withinPart} finds. */
export function isInPart(part: OrderedPart | Points): Sql {
  switch (part.kind) {
    case 'range':
      return compileFilter(all(part.comparisons), 'test');
    case 'points': {
      const { field, values } = part;
      return either([compileFilter({ kind: 'in', field, values }, 'test'), sql`${typeOf(field)} = 'array'`]);
    }
    case 'alternatives':
      return either(part.parts.map((each) => sql`(${isInPart(each)})`));
  }
}

type Comparison = Extract<Predicate, { readonly kind: 'compares' }>;

/** The order comparisons of a filter on one field, joined by AND. */
export interface Range {
  readonly kind: 'range';
  readonly field: OrderedField;
  readonly comparisons: readonly OrderedComparison[];
}

/** The ranges that every document of a filter meets. */
export function rangesOf(filter: Filter): readonly Range[] {
  const ranges = new Map<string, Range>();
  for (const comparison of conditionsOf(filter).filter(isInTable)) {
    const { field } = comparison;
    const comparisons = [...(ranges.get(field.name)?.comparisons ?? []), comparison];
    ranges.set(field.name, { kind: 'range', field, comparisons });
  }
  return [...ranges.values()];
}

interface OrderedComparison extends Comparison {
  readonly field: OrderedField;
}

function isInTable(condition: Filter): condition is OrderedComparison {
  return (
    condition.kind === 'compares' && isOrdered(condition.field) && typeof condition.operand !== 'boolean'
  );
}

/**
 * Selects the ids of the tenant's documents in the range, and of some that are not, because the table cuts texts and
 * keeps dates as numbers. A single value meets all comparisons, as a number or as a text. In an array a different
 * element may meet each, so that only the first comparison is applied.
 */
export function idsWithin(appId: string, { field, comparisons }: Range): Sql {
  const rows = (spread: boolean, bounds: readonly (Sql | undefined)[]): readonly Sql[] => {
    const known = bounds.filter((bound) => bound !== undefined);
    if (known.length < bounds.length) return [];
    return [orderedIds(appId, field, spread, join(known, ' and '))];
  };
  const numbers = comparisons.map(numberBound);
  const texts = comparisons.map(textBound);
  const parts = [
    ...rows(false, numbers),
    ...rows(false, texts),
    ...rows(true, numbers.slice(0, 1)),
    ...rows(true, texts.slice(0, 1)),
  ];
  return parts.length === 0 ? sql`select null::uuid as document_id where false` : join(parts, ' union all ');
}

/** The bound as a number: of a number or decimal, or of a date or date-time in seconds since 1970. */
function numberBound({ order, operand }: Comparison): Sql | undefined {
  const { sql: operator } = ORDER_OPERATORS[order];
  const number = normaliseDecimal(String(operand));
  if (number !== undefined) return sql`o.number ${operator} ${number}::numeric`;
  const time = parseIsoTime(String(operand));
  if (time === undefined) return undefined;
  return sql`o.number ${operator} extract(epoch from ${time.instant}::timestamptz)::numeric`;
}

function textBound({ order, operand }: Comparison): Sql | undefined {
  if (typeof operand !== 'string') return undefined;
  const operator = order === 'gt' || order === 'gte' ? sql`>=` : sql`<=`;
  return sql`o.text ${operator} ${keptText(operand)}::text`;
}

type Point = Exclude<Scalar, boolean>;

/** The numbers and texts one of which a field has to equal. */
export interface Points {
  readonly kind: 'points';
  readonly field: OrderedField;
  readonly values: readonly Point[];
}

/** The points that every document of a filter meets. A time is no point, because it has many spellings. */
export function pointsOf(filter: Filter): readonly Points[] {
  return conditionsOf(filter).flatMap((condition) => {
    const { field, values } = membershipOf(condition) ?? {};
    const points = values?.filter(isPoint) ?? [];
    const areAll = points.length > 0 && points.length === values?.length;
    return areAll && field && isOrdered(field) ? [{ kind: 'points', field, values: points }] : [];
  });
}

function isPoint(value: Literal): value is Point {
  return (
    value !== null &&
    isScalar(value) &&
    typeof value !== 'boolean' &&
    parseIsoTime(String(value)) === undefined
  );
}

/**
 * Selects the ids of the tenant's documents that may have one of the points. The table keeps only the least and the
 * greatest element of an array, so that every array that begins before the last point is selected.
 */
export function idsAt(appId: string, { field, values }: Points): Sql {
  const numbers = decimalsAmong(values);
  const texts = values.filter((value) => typeof value === 'string').map(keptText);
  const parts = [
    numbers.length === 0 ? [] : among(sql`o.number`, sql`${numbers}::numeric[]`),
    texts.length === 0 ? [] : among(sql`o.text`, sql`(${texts}::text[] collate "C")`),
  ];
  return join(parts.flat(), ' union all ');

  function among(kept: Sql, points: Sql): readonly Sql[] {
    return [
      orderedIds(appId, field, false, sql`${kept} = any(${points})`),
      orderedIds(appId, field, true, sql`${kept} <= (select max(p) from unnest(${points}) p)`),
    ];
  }
}

/** Characters of a name and of a text that fit the table `metadata_order`. */
const MAX_NAME_LENGTH = 200;
const MAX_TEXT_LENGTH = 100;

/** A field whose numbers and texts are in the table `metadata_order`. */
type OrderedField = Extract<Field, { readonly kind: 'metadata' }>;

function isOrdered(field: Field): field is OrderedField {
  return field.kind === 'metadata' && isTopLevel(field) && Array.from(field.name).length <= MAX_NAME_LENGTH;
}

/** A text as the table has it, cut; cut texts keep their order. */
function keptText(text: string): string {
  return Array.from(text).slice(0, MAX_TEXT_LENGTH).join('');
}

/** Selects the ids of the tenant's documents with a row `o` that meets the condition, of a single value or of an array. */
function orderedIds(appId: string, field: OrderedField, isArray: boolean, condition: Sql): Sql {
  return sql`select o.document_id from metadata_order o where o.app_id = ${appId} and o.name = ${field.name} and o.spread = ${isArray} and ${condition}`;
}
