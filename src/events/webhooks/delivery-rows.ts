import sql, { join } from 'sql-template-tag';
import { v7 as newId } from 'uuid';
import type { StoredEvent } from '../../corpus/document-event.repository.js';
import { type Queryable, run } from '../../database/run.js';
import type { OWN_TYPES, WebhookEntity } from './webhook.entity.js';

/** What a delivery tells: an event, or something of the webhook itself. */
export type Told = StoredEvent | { readonly type: (typeof OWN_TYPES)[number] };

/** Inserts deliveries that are due now. @returns their ids */
export async function insertDeliveries(
  manager: Queryable,
  { appId, webhookId }: Pick<WebhookEntity, 'appId' | 'webhookId'>,
  told: readonly Told[],
): Promise<string[]> {
  if (told.length === 0) return [];
  const ids = told.map(() => newId());
  const rows = told.map((one, at) => {
    const event = 'position' in one ? one : null;
    const { xid, seq } = event?.position ?? { xid: null, seq: null };
    return sql`(${appId}, ${ids[at]}::uuid, ${webhookId}::uuid, ${one.type},
      ${xid === null ? null : String(xid)}::bigint, ${seq === null ? null : String(seq)}::bigint,
      ${event?.documentId ?? null}::uuid,
      coalesce(${event?.happenedAt.toISOString() ?? null}::timestamptz, statement_timestamp()), statement_timestamp())`;
  });
  await run(
    manager,
    sql`insert into webhook_deliveries
          (app_id, delivery_id, webhook_id, type, xid, seq, document_id, happened_at, next_attempt_at)
        values ${join(rows)}`,
  );
  return ids;
}
