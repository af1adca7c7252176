import sql, { join, raw, type Sql } from 'sql-template-tag';
import { caseFoldingOf } from '../case-folding.js';
import type { Order } from '../filter.js';
import type { Pattern } from '../regex/pattern.js';

export const TRUE = sql`true`;
export const FALSE = sql`false`;

/** The alternatives joined by OR, in parentheses; without any it is false. */
export function either(alternatives: readonly Sql[]): Sql {
  const [only = FALSE] = alternatives;
  return alternatives.length > 1 ? join(alternatives, ' or ', '(', ')') : only;
}

/**
 * A CASE over the labels of a subject. PostgreSQL evaluates the chosen branch only, which AND does not guarantee.
 * @param branches by label, a constant of the code; those that are the same as `otherwise` are left out.
 */
export function choose(subject: Sql, branches: Readonly<Record<string, Sql>>, otherwise: Sql): Sql {
  const distinct = Object.entries(branches).filter(([, branch]) => branch !== otherwise);
  if (distinct.length === 0) return otherwise;
  const whens = distinct.map(([label, branch]) => sql`when ${raw(`'${label}'`)} then ${branch}`);
  return sql`case ${subject} ${join(whens, ' ')} else ${otherwise} end`;
}

type OrderSymbol = '>' | '>=' | '<' | '<=';

/** The operators of each order in SQL and in jsonpath. */
export const ORDER_OPERATORS: Readonly<Record<Order, { readonly sql: Sql; readonly symbol: OrderSymbol }>> = {
  gt: { sql: sql`>`, symbol: '>' },
  gte: { sql: sql`>=`, symbol: '>=' },
  lt: { sql: sql`<`, symbol: '<' },
  lte: { sql: sql`<=`, symbol: '<=' },
};

/**
 * Order of a text by code point. Like the tests below it takes an expression that needs no parentheses, and is NULL
 * where the text is.
 */
export function textCompares(text: Sql, order: Order, operand: string): Sql {
  return sql`${text} collate "C" ${ORDER_OPERATORS[order].sql} ${operand}::text`;
}

export function textMatches(text: Sql, pattern: Pattern): Sql {
  return sql`${text} collate "C" ~ ${pattern.are}::text`;
}

/** Literal containment; case is ignored by Unicode simple case folding, whatever the locale of the database. */
export function textContains(text: Sql, operand: string, caseSensitive: boolean): Sql {
  if (caseSensitive) return sql`strpos(${text} collate "C", ${operand}::text) > 0`;
  const { folded, variants, replacements } = caseFoldingOf(operand);
  const lower = sql`lower(${text} collate "C")`;
  return variants === ''
    ? sql`strpos(${lower}, ${folded}::text) > 0`
    : sql`strpos(translate(${lower}, ${variants}::text, ${replacements}::text), ${folded}::text) > 0`;
}
