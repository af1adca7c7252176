import sql, { type Sql } from 'sql-template-tag';
import type { Order } from './filter.js';

export type OrderSymbol = '>' | '>=' | '<' | '<=';

/** The operator of an order, as SQL and as jsonpath writes it. */
export const ORDER_OPERATORS: Readonly<Record<Order, { readonly sql: Sql; readonly symbol: OrderSymbol }>> = {
  gt: { sql: sql`>`, symbol: '>' },
  gte: { sql: sql`>=`, symbol: '>=' },
  lt: { sql: sql`<`, symbol: '<' },
  lte: { sql: sql`<=`, symbol: '<=' },
};
