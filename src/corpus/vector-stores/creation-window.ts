import sql, { empty, raw, type Sql } from 'sql-template-tag';

/** Cursor position of a row in creation order. */
export interface Position {
  /** Microseconds since 1970, as a bigint, or the number of an item in its list. */
  readonly at: string | number;
  readonly id: string;
}

/** A page of rows in creation order. */
export interface CreationWindow {
  readonly limit: number;
  readonly order: 'asc' | 'desc';
  readonly after: Position | null;
  readonly before: Position | null;
}

export interface WindowRows<Row> {
  readonly rows: Row[];
  /** Whether more rows follow in the read direction. */
  readonly hasMore: boolean;
}

/** Milliseconds since 1970 in an id that is ordered by time (UUID version 7, RFC 9562); undefined for another id. */
export function timeOfId(id: string): number | undefined {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-7/i.test(id)
    ? Number.parseInt(id.replace('-', '').slice(0, 12), 16)
    : undefined;
}

/**
 * The position of an object whose creation time is that of its id. The object may be deleted: a client that deletes what
 * it lists goes on behind the last object of the page.
 */
export function positionOfId(id: string): Position | null {
  const time = timeOfId(id);
  return time === undefined ? null : { at: String(time * 1_000), id };
}

export function createdAtOfId(id: string): Date {
  return new Date(timeOfId(id) ?? Date.now());
}

/** Converts a time to the unit of a position. */
export function microseconds(time: Sql): Sql {
  return sql`(extract(epoch from ${time}) * 1000000)::bigint`;
}

/** Whether to read in descending order. A window with `before` only is read backwards. */
function isDescending({ order, after, before }: CreationWindow): boolean {
  const isBackwards = before !== null && after === null;
  return (order === 'desc') !== isBackwards;
}

/**
 * Selects the rows of a window and one further row, which shows whether more rows follow the window.
 * @param source a select with the columns `at` and `id`
 */
export function windowOf(source: Sql, window: CreationWindow): Sql {
  const { limit, order, after, before } = window;
  const direction = raw(isDescending(window) ? 'desc' : 'asc');
  const [behind, ahead] = order === 'asc' ? [raw('>'), raw('<')] : [raw('<'), raw('>')];
  const beyond = (comparison: Sql, position: Position | null): Sql =>
    position === null
      ? empty
      : sql` and (w.at, w.id) ${comparison} (${position.at}::bigint, ${position.id}::uuid)`;
  return sql`select * from (${source}) w where true${beyond(behind, after)}${beyond(ahead, before)}
    order by w.at ${direction}, w.id ${direction} limit ${limit + 1}`;
}

/** Merges the rows of one or more {@link windowOf} statements into a page. */
export function rowsOf<Row extends Position>(found: readonly Row[], window: CreationWindow): WindowRows<Row> {
  const descending = isDescending(window);
  const sorted = [...found].sort((a, b) => (descending ? inOrder(b, a) : inOrder(a, b)));
  const rows = sorted.slice(0, window.limit);
  if (descending !== (window.order === 'desc')) rows.reverse();
  return { rows, hasMore: sorted.length > window.limit };
}

function inOrder(a: Position, b: Position): number {
  const apart = BigInt(a.at) - BigInt(b.at);
  if (apart !== 0n) return apart < 0n ? -1 : 1;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}
