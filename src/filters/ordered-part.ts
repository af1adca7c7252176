import sql, { join, type Sql } from 'sql-template-tag';
import { compileFilter } from './compile-filter.js';
import { all, conditionsOf, type Filter } from './filter.js';
import { idsAt, pointsOf, type Points } from './metadata-points.js';
import { idsWithin, rangesOf, type Range } from './metadata-range.js';
import { typeOf } from './metadata-value.js';
import { either } from './sql-logic.js';

/** Parts of which a document meets one. */
interface Alternatives {
  readonly kind: 'alternatives';
  readonly parts: readonly (Range | Points)[];
}

/** What a filter demands and only the table `metadata_order` leads to: a range, or one of several ranges and points. */
export type OrderedPart = Range | Alternatives;

/** Past this many alternatives a statement would be more work to plan than to run. */
const MAX_ALTERNATIVES = 16;

/** The parts that every document of a filter meets. Points alone are found by the indexes over the metadata. */
export function orderedPartsOf(filter: Filter): readonly OrderedPart[] {
  const alternatives = alternativesOf(filter).filter(({ parts }) =>
    parts.some(({ kind }) => kind === 'range'),
  );
  return [...rangesOf(filter), ...alternatives];
}

/** Where every alternative demands something of the kind: one part of each. */
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

/** Selects the ids of the tenant's documents that the table has in the part: all that meet it and others, some twice. */
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
 * A condition that every document in the part meets and that an index serves. The filter itself decides: the table cuts
 * texts, and a date may lie where a number does.
 *
 * The ids are an array that is worked out once, because PostgreSQL thinks little of the cost of a filter over jsonb and
 * would read every document and join afterwards. It expects ten of them, however many there are, and prefers them to any
 * other index.
 */
export function withinPart(appId: string, part: OrderedPart): Sql {
  return sql`d.external_id = any(array(${idsIn(appId, part)}))`;
}

/** Whether a document at hand is about one of those that the table has in the part. */
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
