import sql, { join, type Sql } from 'sql-template-tag';

export const TRUE = sql`true`;
export const FALSE = sql`false`;

/** The alternatives joined by OR, in parentheses; without any it is false. */
export function either(alternatives: readonly Sql[]): Sql {
  const [only = FALSE] = alternatives;
  return alternatives.length > 1 ? join(alternatives, ' or ', '(', ')') : only;
}
