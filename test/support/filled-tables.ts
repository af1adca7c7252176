import { tenantOf, type Scope } from '../../src/auth/scope.js';
import { objectKey } from '../../src/storage/object-key.js';
import type { StoredDocuments } from './stored-documents.js';

/**
 * Inserts rows of a tenant shard into every tenant table.
 * @returns the ids of its documents
 */
export async function fillTables(documents: StoredDocuments, scope: Scope): Promise<string[]> {
  const { appId } = scope;
  const ids = [];
  for (let i = 0; i < 3; i += 1) {
    const metadata = { kind: 'bird', year: 2020 + i };
    ids.push(await documents.add(scope, ['herons fish at dawn', `number ${i}`], { metadata }));
  }
  const [id] = ids;
  const key = objectKey(tenantOf(appId), 'k');
  const chat = '0198c0de-0000-7000-8000-00000000abcd';
  for (const [statement, ...rest] of [
    [`insert into api_keys (app_id, jti, name, permissions) values ($1, gen_random_uuid(), 'k', '{admin}')`],
    [
      `insert into provider_accounts (app_id, subject, key_id, groups)
         select app_id, 'ann', jti, '{}' from api_keys where app_id = $1`,
    ],
    [
      `insert into browser_sessions (app_id, session_id, key_id, secret_hash, device, expires_at)
         select app_id, gen_random_uuid(), jti, '', 'a phone', now() from api_keys where app_id = $1`,
    ],
    [
      `insert into device_links (app_id, key_id, secret_hash, expires_at)
         select app_id, jti, '', now() from api_keys where app_id = $1`,
    ],
    [
      `insert into document_events (app_id, xid, seq, external_id, type, data)
         values ($1, 1, 1, $2, 'document.created', '{}')`,
      id,
    ],
    [
      `insert into webhooks (app_id, webhook_id, key_id, holder, url, types, folder_depth, secret, xid, seq)
         values ($1, $2, 'k', '{}', 'https://hooks.example.com', '{document.created}', 0, '', 1, 1)`,
      id,
    ],
    [
      `insert into webhook_deliveries (app_id, delivery_id, webhook_id, type, happened_at)
         values ($1, $2, $2, 'webhook.test', now())`,
      id,
    ],
    [`insert into groups (app_id, group_id) values ($1, 'keepers')`],
    [`insert into group_members (app_id, group_id, end_user_id) values ($1, 'keepers', 'ann')`],
    [`insert into folders (app_id, path) select $1, '/f' || n from generate_series(1, 2500) n`],
    [`insert into document_texts values ($1, $2, 0, 'herons', 0)`, id],
    [`insert into document_summaries values ($1, $2, 1, 's')`, id],
    [
      `insert into folder_summaries select app_id, folder_id, 1, 's' from folders where app_id = $1 and path = '/f1'`,
    ],
    [`insert into ingestion_jobs (app_id, document_id) values ($1, $2)`, id],
    [`insert into ingestion_turns values ($1, now())`],
    [
      `insert into pages (app_id, document_id, page_number, revision, object_key, width, height, content, vectors,
         vector_count, pooled) values ($1, $2, 1, 1, $3, 1, 1, '', '', 0, '[1,2]')`,
      id,
      key,
    ],
    [
      `insert into files (app_id, file_id, purpose, filename, content_type, bucket, object_key, bytes)
         values ($1, $2, 'assistants', 'a.txt', 'text/plain', 'local', $3, 1)`,
      id,
      key,
    ],
    [
      `insert into vector_stores (app_id, folder_id) select app_id, folder_id from folders where app_id = $1 and path = '/f1'`,
    ],
    [
      `insert into file_batches (app_id, batch_id, folder_id)
         select app_id, $2, folder_id from folders where app_id = $1 and path = '/f1'`,
      id,
    ],
    [
      `insert into file_batch_entries (app_id, batch_id, file_id, folder_id)
         select app_id, batch_id, $2, folder_id from file_batches where app_id = $1`,
      id,
    ],
    [`insert into detached_files (app_id, folder_id, file_id, place) values ($1, $2, $2, 1)`, id],
    [
      `insert into replaced_rows (app_id, replaced_id, table_name, content) values ($1, $2, 'chunks', '{}')`,
      id,
    ],
    [`insert into file_attachments (app_id, document_id, file_id) values ($1, $2, $2)`, id],
    [
      `insert into conversations (app_id, conversation_id, kind, chat_id, title, next_position)
       values ($1, $2, 'chat', 'c', 't', 1)`,
      chat,
    ],
    [
      `insert into turns (app_id, conversation_id, position, role, content, bytes) values ($1, $2, 0, 'user', 'q', 1)`,
      chat,
    ],
    [
      `insert into deleted_items (app_id, conversation_id, item_id, position) values ($1, $2, 'msg', 7)`,
      chat,
    ],
    [`insert into chat_links (app_id, conversation_id, link_id) values ($1, $2, 'l')`, chat],
    [
      `insert into answer_feedback (app_id, conversation_id, position, answered_at, rating, question, answer, search)
       values ($1, $2, 1, now(), 'good', 'q', 'a', '{}')`,
      chat,
    ],
    [`insert into audit_log (app_id, key_id, action, outcome) values ($1, 'k', 'key.create', 'done')`],
    [`insert into idempotency_keys values ($1, 'k', '', '{}')`],
    [`insert into rate_limits values ($1, 'k', 1, now())`],
    [`insert into quota_counts values ($1, '', 'documents', 3, null)`],
    [
      `insert into operation_log (app_id, logged_at, operation_type, status, status_code, duration_ms, tokens_used,
         key_id, request_id) values ($1, now(), 'query', 'success', 200, 1, 0, 'k', 'r')`,
    ],
  ] as const) {
    await documents.dataSource.query(statement, [appId, ...rest]);
  }
  return ids;
}
