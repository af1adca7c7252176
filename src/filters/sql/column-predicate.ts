import { validate as isUuid } from 'uuid';
import sql, { type Sql } from 'sql-template-tag';
import type { Predicate } from '../filter.js';
import { FALSE, textCompares, textContains, textMatches } from './expressions.js';

type Column = 'filename' | 'external_id';

const TEXT: Readonly<Record<Column, Sql>> = {
  filename: sql`d.filename`,
  external_id: sql`d.external_id::text`,
};

/** A predicate over a reserved name: a string from a column. A document without a file name lacks the field. */
export function columnPredicate(predicate: Predicate, column: Column): Sql {
  const text = TEXT[column];
  switch (predicate.kind) {
    case 'equals':
      return isAmong(column, [predicate.value]);
    case 'in':
      return isAmong(column, predicate.values);
    case 'compares':
      return typeof predicate.operand === 'string'
        ? present(column, textCompares(text, predicate.order, predicate.operand))
        : FALSE;
    case 'exists':
      return sql`${text} is not null`;
    case 'has-type':
      return predicate.types.includes('string') ? sql`${text} is not null` : FALSE;
    case 'matches':
      return present(column, textMatches(text, predicate.pattern));
    case 'contains-text':
      return present(column, textContains(text, predicate.text, predicate.caseSensitive));
    case 'has-element':
      return FALSE;
  }
}

function isAmong(column: Column, values: readonly unknown[]): Sql {
  const strings = values.filter((value) => typeof value === 'string');
  const absent = values.includes(null) ? sql`${TEXT[column]} is null` : FALSE;
  if (column === 'external_id') {
    const ids = strings.filter((text) => isUuid(text));
    return ids.length === 0 ? absent : sql`d.external_id = any(${ids}::uuid[])`;
  }
  if (strings.length === 0) return absent;
  const found = present(column, sql`d.filename = any(${strings}::text[])`);
  return values.includes(null) ? sql`${absent} or ${found}` : found;
}

/** False where the column is NULL, in a form that an index can serve. */
function present(column: Column, test: Sql): Sql {
  return sql`(${TEXT[column]} is not null and ${test})`;
}
