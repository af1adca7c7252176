import sql, { type Sql } from 'sql-template-tag';

/** SQL condition: a text contains a part, whatever its case. */
export function containsText(text: Sql, part: string): Sql {
  return sql`position(lower(${part}) in lower(${text})) > 0`;
}
