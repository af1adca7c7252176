import sql from 'sql-template-tag';

export const TRUE = sql`true`;
export const FALSE = sql`false`;
