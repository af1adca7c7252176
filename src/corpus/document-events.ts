import sql, { join } from 'sql-template-tag';
import { run, type Queryable } from '../database/run.js';
import { GIVEN_FILENAME } from '../filters/given-spelling.js';
import { printJson } from '../json/exact-json.js';
import { type DocumentRow, statusOf } from './document-row.js';

/** What can happen to a document. */
export const DOCUMENT_EVENTS = [
  'document.created',
  'document.progress',
  'document.completed',
  'document.failed',
  'document.updated',
  'document.deleted',
] as const;
export type DocumentEventType = (typeof DOCUMENT_EVENTS)[number];

/** The state of a document at an event. */
export type EventSubject = Pick<
  DocumentRow,
  'external_id' | 'filename' | 'status' | 'version' | 'progress' | 'error'
>;

/** Columns of {@link EventSubject}. */
export const EVENT_COLUMNS = sql`d.external_id, ${GIVEN_FILENAME} as filename, d.status, d.version, d.progress, d.error`;

/**
 * Records events of documents of one shard in the transaction of the change.
 *
 * An event gets the id of its transaction: whoever reads the events of all transactions below the oldest running one
 * misses none, although transactions commit in another order than they begin. The id is taken in VALUES, which a cluster
 * evaluates at the coordinator.
 */
export async function recordEvents(
  manager: Queryable,
  appId: string,
  type: DocumentEventType,
  subjects: readonly EventSubject[],
): Promise<void> {
  if (subjects.length === 0) return;
  const rows = subjects.map(
    (subject) =>
      sql`(${appId}, ${TRANSACTION}, ${nextPlace()}::bigint, ${subject.external_id}::uuid, ${type}, ${dataOf(subject)}::jsonb)`,
  );
  await run(
    manager,
    sql`insert into document_events (app_id, xid, seq, external_id, type, data) values ${join(rows)}`,
  );
}

/** Records the deletion of documents before it, with what decides who learns of it. */
export async function recordDeletions(
  manager: Queryable,
  appId: string,
  documentIds: readonly string[],
): Promise<void> {
  const [transaction] = await run<{ xid: string }>(manager, sql`select ${TRANSACTION}::text as xid`);
  await run(
    manager,
    sql`insert into document_events (app_id, xid, seq, external_id, type, data, readers, end_user_id, folder_path,
          filename, metadata, metadata_types)
        select d.app_id, ${transaction?.xid}::bigint, ${nextPlace()}::bigint, d.external_id, 'document.deleted',
          jsonb_build_object('filename', ${GIVEN_FILENAME}, 'status', d.status, 'version', d.version),
          d.readers, d.end_user_id, d.folder_path, d.filename, d.metadata, d.metadata_types
        from documents d where d.app_id = ${appId} and d.external_id = any(${documentIds}::uuid[])`,
  );
}

const TRANSACTION = sql`pg_current_xact_id()::text::bigint`;

/** Events of one transaction are written by one process. */
let place = 0n;
function nextPlace(): string {
  place += 1n;
  return String(place);
}

function dataOf(subject: EventSubject): string {
  const { filename, version, progress, error } = subject;
  return printJson({ filename, status: statusOf(subject), version, progress, error });
}
