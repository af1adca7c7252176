import sql, { join, type Sql } from 'sql-template-tag';
import { decimalsAmong } from '../metadata/decimal.js';
import { conditionsOf, type Filter } from './filter.js';
import { isScalar, type Literal, type Scalar } from '../metadata/literal.js';
import { membershipOf } from './merge-memberships.js';
import { isOrdered, keptText, orderedIds, type OrderedField } from './ordered-field.js';
import { parseIsoTime } from '../metadata/temporal.js';

type Point = Exclude<Scalar, boolean>;

/** The numbers and texts one of which a filter wants in a field. */
export interface Points {
  readonly kind: 'points';
  readonly field: OrderedField;
  readonly values: readonly Point[];
}

/**
 * The points of which every document of a filter has one, in fields which the table `metadata_order` knows of. Texts
 * that are times are none: other texts are the same time.
 */
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
 * Selects the ids of the tenant's documents that may have one of the points. Of an array the table keeps the ends only:
 * every array that begins before the last point is among them.
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
