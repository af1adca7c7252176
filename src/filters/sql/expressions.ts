import sql, { join, raw, type Sql } from 'sql-template-tag';
import { caseFoldingOf } from '../case-folding.js';
import type { Order } from '../filter.js';
import type { Pattern } from '../regex/pattern.js';

export const TRUE = sql`true`;
export const FALSE = sql`false`;

/** Joins alternatives with OR, in parentheses; false for an empty list. */
export function either(alternatives: readonly Sql[]): Sql {
  const [only = FALSE] = alternatives;
  return alternatives.length > 1 ? join(alternatives, ' or ', '(', ')') : only;
}

/**
 * Builds a CASE expression. PostgreSQL evaluates only the chosen branch of a CASE, but may evaluate any operand of an
 * AND.
 * @param branches result for each value of `subject`. The values are written to the SQL unescaped, so they must be
 *   constants, never input. Branches identical to `otherwise` are omitted.
 */
export function choose(subject: Sql, branches: Readonly<Record<string, Sql>>, otherwise: Sql): Sql {
  const distinct = Object.entries(branches).filter(([, branch]) => branch !== otherwise);
  if (distinct.length === 0) return otherwise;
  const whens = distinct.map(([label, branch]) => sql`when ${raw(`'${label}'`)} then ${branch}`);
  return sql`case ${subject} ${join(whens, ' ')} else ${otherwise} end`;
}

type OrderSymbol = '>' | '>=' | '<' | '<=';

export const ORDER_OPERATORS: Readonly<Record<Order, { readonly sql: Sql; readonly symbol: OrderSymbol }>> = {
  gt: { sql: sql`>`, symbol: '>' },
  gte: { sql: sql`>=`, symbol: '>=' },
  lt: { sql: sql`<`, symbol: '<' },
  lte: { sql: sql`<=`, symbol: '<=' },
};

/**
 * Compares texts by code point. Here and in the tests below, `text` must be an expression that needs no parentheses,
 * and the result is NULL for a NULL text.
 */
export function textCompares(text: Sql, order: Order, operand: string): Sql {
  return sql`${text} collate "C" ${ORDER_OPERATORS[order].sql} ${operand}::text`;
}

export function textMatches(text: Sql, pattern: Pattern): Sql {
  return sql`${text} collate "C" ~ ${pattern.are}::text`;
}

/** Tests literal containment. Ignores case by Unicode simple case folding, independent of the database locale. */
export function textContains(text: Sql, operand: string, caseSensitive: boolean): Sql {
  if (caseSensitive) return sql`strpos(${text} collate "C", ${operand}::text) > 0`;
  const { column, folded } = foldedPair(text, operand);
  return sql`strpos(${column}, ${folded}::text) > 0`;
}

/** Tests a literal prefix, ignoring case like {@link textContains}. */
export function textStartsWith(text: Sql, prefix: string): Sql {
  const { column, folded } = foldedPair(text, prefix);
  return sql`starts_with(${column}, ${folded}::text)`;
}

function foldedPair(text: Sql, operand: string): { readonly column: Sql; readonly folded: string } {
  const { folded, variants, replacements } = caseFoldingOf(operand);
  const lower = sql`lower(${text} collate "C")`;
  const column = variants === '' ? lower : sql`translate(${lower}, ${variants}::text, ${replacements}::text)`;
  return { column, folded };
}
