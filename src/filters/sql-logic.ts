import sql, { join, raw, type Sql } from 'sql-template-tag';

export const TRUE = sql`true`;
export const FALSE = sql`false`;

/** The alternatives joined by OR, in parentheses; without any it is false. */
export function either(alternatives: readonly Sql[]): Sql {
  const [only = FALSE] = alternatives;
  return alternatives.length > 1 ? join(alternatives, ' or ', '(', ')') : only;
}

/**
 * A CASE over the labels of a subject. PostgreSQL evaluates no branch but the chosen one, which AND does not promise.
 * @param branches by label, a word of ours; those that are the same as `otherwise` are left out.
 */
export function choose(subject: Sql, branches: Readonly<Record<string, Sql>>, otherwise: Sql): Sql {
  const distinct = Object.entries(branches).filter(([, branch]) => branch !== otherwise);
  if (distinct.length === 0) return otherwise;
  const whens = distinct.map(([label, branch]) => sql`when ${raw(`'${label}'`)} then ${branch}`);
  return sql`case ${subject} ${join(whens, ' ')} else ${otherwise} end`;
}
