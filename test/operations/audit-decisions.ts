import { reasonsOfReading } from '../support/reading-posts.js';

const READS = 'reads; the log of operations has it (GET /logs)';
const ADDS = 'adds something of the caller; nothing of others is lost';
const TALKS = 'adds to talk of the caller';

/**
 * Why a route that is no GET has no rule for the audit log. If an administrator acts on a private document or talk of a
 * person by such a route, the log records that (`document.change`, `talk.change`). The spec beside compares the list
 * with the routes.
 */
export const NOT_RECORDED: Readonly<Record<string, string>> = {
  ...reasonsOfReading(READS),
  'POST /query': TALKS,
  'POST /answers/{answer_id}/stop': 'ends an answer of the caller',
  'PUT /documents/{document_id}/summary': 'changes a note beside the document, not the document',
  'PUT /folders/{folder}/summary': 'changes a note beside the folder, not the folder',
  'POST /folders': ADDS,
  'POST /ingest/demo': ADDS,
  'POST /ingest/requeue': 'repeats the ingestion of what is stored',
  'PATCH /chats/{chat_id}': 'changes where a chat is listed',
  'PATCH /chats/{chat_id}/title': 'changes a title',
  'PUT /chat/{chat_id}/messages/{message_index}/feedback': 'changes the own rating',
  'DELETE /chat/{chat_id}/messages/{message_index}/feedback': 'withdraws the own rating',
  'POST /webhooks/{webhook_id}/test': 'sends a message without content',
  'POST /webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver': 'repeats a message',
  'POST /v1/chat/completions': TALKS,
  'POST /v1/embeddings': 'computes; stores nothing',
  'POST /v1/conversations': TALKS,
  'POST /v1/conversations/{conversation_id}': 'changes labels',
  'POST /v1/conversations/{conversation_id}/items': TALKS,
  'POST /v1/responses': TALKS,
  'POST /v1/responses/{response_id}/cancel': 'refuses: no response runs in the background',
  'POST /v1/files': ADDS,
  'POST /v1/vector_stores': ADDS,
  'POST /v1/vector_stores/{vector_store_id}': 'changes name, labels and expiry of a store',
  'POST /v1/vector_stores/{vector_store_id}/files': ADDS,
  'POST /v1/vector_stores/{vector_store_id}/files/{file_id}': 'changes labels',
  'POST /v1/vector_stores/{vector_store_id}/file_batches': ADDS,
  'POST /v1/vector_stores/{vector_store_id}/file_batches/{batch_id}/cancel': 'stops what was begun',
  'POST /mcp': 'reads, answers, and adds documents of the caller',
  'POST /keys/invitation': 'shows what a link opens, which stays unused; a wrong one is counted',
};
