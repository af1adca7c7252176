import sql, { type Sql } from 'sql-template-tag';
import { compileFilter } from './compile-filter.js';
import { all, type Filter } from './filter.js';
import { idsAt, pointsOf, type Points } from './metadata-points.js';
import { idsWithin, rangesOf, type Range } from './metadata-range.js';
import { typeOf } from './metadata-value.js';

/** What a filter demands of one field and the table `metadata_order` leads to: a range, or one of some points. */
export type OrderedPart = Range | Points;

export function orderedPartsOf(filter: Filter): readonly OrderedPart[] {
  return [...rangesOf(filter), ...pointsOf(filter)];
}

/** A statement for the ids of the tenant's documents that the table has in the part, in order: all that meet it, and some. */
export function orderedPartIds(appId: string, part: OrderedPart): Sql {
  const ids = part.kind === 'range' ? idsWithin(appId, part) : idsAt(appId, part);
  return sql`select distinct i.document_id from (${ids}) i order by 1`;
}

/** Whether a document at hand is about one of those that the table has in the part. */
export function isInPart(part: OrderedPart): Sql {
  if (part.kind === 'range') return compileFilter(all(part.comparisons), 'test');
  const { field, values } = part;
  return sql`${compileFilter({ kind: 'in', field, values }, 'test')} or ${typeOf(field)} = 'array'`;
}
