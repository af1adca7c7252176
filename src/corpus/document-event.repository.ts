import { Injectable } from '@nestjs/common';
import sql, { raw, type Sql } from 'sql-template-tag';
import { DataSource } from 'typeorm';
import { type Scope, shardOf, shardsOf } from '../auth/scope.js';
import { run } from '../database/run.js';
import { documentPredicate, type DocumentSelection } from '../filters/document-predicate.js';
import { GIVEN_FILENAME } from '../filters/given-spelling.js';
import type { DocumentEventType, EventSubject } from './document-events.js';

/** A place in the order of events: a transaction, and a place in it. */
export interface EventPosition {
  readonly xid: bigint;
  readonly seq: bigint;
}

export interface StoredEvent {
  readonly position: EventPosition;
  readonly documentId: string;
  readonly type: DocumentEventType;
  readonly data: Pick<EventSubject, 'filename' | 'status' | 'version'> &
    Partial<Pick<EventSubject, 'progress' | 'error'>>;
  readonly happenedAt: Date;
}

/** Events that a caller may see, and how far the events were read, whether or not the caller may see them. */
export interface EventPage {
  readonly events: readonly StoredEvent[];
  /** null: there was no event. */
  readonly last: EventPosition | null;
  readonly isFull: boolean;
}

interface Row {
  readonly xid: string;
  readonly seq: string;
  /** null: the last event that was read, which tells nothing else. */
  readonly type: DocumentEventType | null;
  readonly external_id: string;
  readonly data: StoredEvent['data'];
  readonly happened_at: Date;
}

/** Maximum number of events that a statement reads. */
const PAGE = 200;

/** Reads events of documents, restricted to a scope. */
@Injectable()
export class DocumentEventRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns the oldest running transaction: the events of all transactions below it are there. */
  async horizon(): Promise<bigint> {
    const [row] = await run<{ xid: string }>(
      this.dataSource,
      sql`select pg_snapshot_xmin(pg_current_snapshot())::text as xid`,
    );
    if (row === undefined) throw new Error('the database has no snapshot');
    return BigInt(row.xid);
  }

  /** Returns those of the tenant shards that have events of the transactions `from <= xid < below`. */
  async withNews(appIds: readonly string[], from: bigint, below: bigint): Promise<string[]> {
    const rows = await run<{ app_id: string }>(
      this.dataSource,
      sql`select distinct e.app_id from document_events e
          where e.app_id = any(${appIds}::text[]) and e.xid >= ${String(from)}::bigint
            and e.xid < ${String(below)}::bigint`,
    );
    return rows.map(({ app_id }) => app_id);
  }

  /**
   * Tells whether all events behind a position are kept: it is neither older than what a sweep has left, nor in the
   * future, as after the restore of a backup.
   */
  async reaches({ xid }: EventPosition, horizon: bigint): Promise<boolean> {
    const [swept] = await run<{ value: string }>(
      this.dataSource,
      sql`select s.value #>> '{}' as value from service_state s where s.name = ${SWEPT}`,
    );
    return xid >= BigInt(swept?.value ?? 0) && xid <= horizon;
  }

  /** Deletes the events of all tenants that are older than `hours`. */
  async sweep(hours: number): Promise<void> {
    await this.dataSource.transaction(async (manager) => {
      const rows = await run<{ xid: string }>(
        manager,
        sql`delete from document_events e where e.happened_at < now() - make_interval(hours => ${hours})
            returning e.xid::text as xid`,
      );
      const highest = rows.map(({ xid }) => BigInt(xid)).reduce((a, b) => (a > b ? a : b), -1n);
      if (highest < 0n) return;
      await run(
        manager,
        sql`insert into service_state (name, value) values (${SWEPT}, to_jsonb(${String(highest + 1n)}::text))
            on conflict (name) do update set value = excluded.value`,
      );
    });
  }

  /**
   * Returns an event, if the caller may read its document, and the selection has it, now.
   * @returns undefined also if the event is no longer kept
   */
  async find(
    scope: Scope,
    selection: DocumentSelection,
    { xid, seq }: EventPosition,
    documentId: string,
  ): Promise<StoredEvent | undefined> {
    const shard = shardOf(scope, documentId);
    const [row] = await run<Row>(
      this.dataSource,
      seenStatement(
        shard,
        selection,
        sql`e.xid = ${String(xid)}::bigint and e.seq = ${String(seq)}::bigint
          and e.external_id = ${documentId}::uuid`,
      ),
    );
    return row === undefined ? undefined : eventsOf([row])[0];
  }

  /** Returns the next events behind a position in transactions below `below`, in order. */
  async after(
    scope: Scope,
    selection: DocumentSelection,
    position: EventPosition,
    below: bigint,
  ): Promise<EventPage> {
    const parts = await Promise.all(
      shardsOf(scope).map(async (part) => {
        const rows = await run<Row>(this.dataSource, pageStatement(part, selection, position, below));
        const last = rows.find(({ type }) => type === null);
        return { rows, last: last === undefined ? null : positionOf(last), isFull: isFull(last) };
      }),
    );
    // Shards whose page is full end earlier than the others, whose later events are read again.
    const ends = parts.filter((part) => part.isFull).flatMap(({ last }) => last ?? []);
    const end = ends.sort(compare)[0] ?? null;
    const events = eventsOf(parts.flatMap(({ rows }) => rows))
      .filter((event) => end === null || compare(event.position, end) <= 0)
      .sort((a, b) => compare(a.position, b.position));
    const lasts = parts.flatMap(({ last }) => last ?? []).sort(compare);
    return { events, last: end ?? lasts.at(-1) ?? null, isFull: end !== null };
  }
}

/** Name in `service_state` of the transaction up to which events were swept. */
const SWEPT = 'document_events_swept';

function pageStatement(
  scope: Scope,
  selection: DocumentSelection,
  { xid, seq }: EventPosition,
  below: bigint,
): Sql {
  const next = sql`(e.xid, e.seq) > (${String(xid)}::bigint, ${String(seq)}::bigint)
        and e.xid < ${String(below)}::bigint
      order by e.xid, e.seq, e.external_id limit ${PAGE}`;
  return sql`${seenStatement(scope, selection, next)}
    union all
    (select p.xid::text, p.seq::text, null, null, to_jsonb(count(*) over ()), null from page p
     order by p.xid desc, p.seq desc limit 1)`;
}

/**
 * Returns the statement of those of the events `e` of a shard that the caller may see. An event names the document as it is
 * named now: who may read it today could not always read it under its former name.
 *
 * @param wanted a condition on `e`, and what follows it
 */
function seenStatement(scope: Scope, selection: DocumentSelection, wanted: Sql): Sql {
  const seen = documentPredicate(scope, selection, 'test');
  return sql`with page as materialized (
      select e.* from document_events e where e.app_id = ${scope.appId} and ${wanted}
    )
    select ${columnsOf('p', sql`p.data || jsonb_build_object('filename', ${GIVEN_FILENAME})`)}
    from page p join documents d on d.external_id = p.external_id and ${seen}
    where p.type <> 'document.deleted'
    union all
    select ${columnsOf('d', sql`d.data`)} from page d where d.type = 'document.deleted' and ${seen}`;
}

function eventsOf(rows: readonly Row[]): StoredEvent[] {
  return rows.flatMap(({ type, external_id, data, happened_at, ...row }) =>
    type === null
      ? []
      : [{ position: positionOf(row), documentId: external_id, type, data, happenedAt: happened_at }],
  );
}

function columnsOf(alias: 'p' | 'd', data: Sql): Sql {
  const of = raw(alias);
  return sql`${of}.xid::text, ${of}.seq::text, ${of}.type, ${of}.external_id, ${data} as data, ${of}.happened_at`;
}

function isFull(last: Row | undefined): boolean {
  return last !== undefined && Number(last.data) >= PAGE;
}

function positionOf({ xid, seq }: Pick<Row, 'xid' | 'seq'>): EventPosition {
  return { xid: BigInt(xid), seq: BigInt(seq) };
}

function compare(a: EventPosition, b: EventPosition): number {
  if (a.xid !== b.xid) return a.xid < b.xid ? -1 : 1;
  return a.seq < b.seq ? -1 : Number(a.seq > b.seq);
}
