import sql, { type Sql } from 'sql-template-tag';
import type { Order } from './filter.js';
import { caseFoldingOf } from './case-folding.js';
import { ORDER_OPERATORS } from './order-operators.js';
import type { Pattern } from './regex/pattern.js';

/** Tests of an SQL text expression that needs no parentheses. They are NULL where the text is. Order and matching are by code point. */
export function textCompares(text: Sql, order: Order, operand: string): Sql {
  return sql`${text} collate "C" ${ORDER_OPERATORS[order].sql} ${operand}::text`;
}

export function textMatches(text: Sql, pattern: Pattern): Sql {
  return sql`${text} collate "C" ~ ${pattern.are}::text`;
}

/** Literal containment. Ignoring case is Unicode simple case folding, whatever the locale of the database. */
export function textContains(text: Sql, operand: string, caseSensitive: boolean): Sql {
  if (caseSensitive) return sql`strpos(${text} collate "C", ${operand}::text) > 0`;
  const { folded, variants, replacements } = caseFoldingOf(operand);
  const lower = sql`lower(${text} collate "C")`;
  return variants === ''
    ? sql`strpos(${lower}, ${folded}::text) > 0`
    : sql`strpos(translate(${lower}, ${variants}::text, ${replacements}::text), ${folded}::text) > 0`;
}
