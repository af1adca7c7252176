import type { TokenUse } from '../../../src/auth/token-policy.js';
import type { Kind, Right } from './table.js';
import type { Thing, ThingKind } from './things.js';

/** A value of a body, or how it follows from the thing. */
type Body = object | ((thing: Thing) => object);

/** An operation on one thing, or one that lists or searches things. */
export interface Operation {
  readonly on: Kind;
  /**
   * `shows`: the answer is a 200, and names the thing if the caller may read it. `adds`: puts something of the caller into
   * a folder or store.
   */
  readonly needs: Right | 'shows' | 'adds';
  readonly body?: Body;
  /** Query string, without the question mark. */
  readonly query?: string;
  /** The text in the answer that names the thing, for `shows`. */
  readonly marker?: (thing: Thing) => string;
  /** Returns the status that the answer stands for, if the operation reports it otherwise. */
  readonly verdict?: (status: number, text: string) => number;
  /** Scope of the tokens that reach the operation, if it is a tool of MCP. */
  readonly tool?: TokenUse;
  /** The kind of thing that is made for the operation, if it is not `on`. */
  readonly with?: ThingKind;
}

const on = (kind: Kind, needs: Right | 'adds', body?: Body, more: Partial<Operation> = {}): Operation => ({
  on: kind,
  needs,
  ...(body === undefined ? {} : { body }),
  ...more,
});
const shows = (
  kind: Kind,
  marker: (thing: Thing) => string,
  body?: Body,
  more: Partial<Operation> = {},
): Operation => ({ on: kind, needs: 'shows', marker, ...(body === undefined ? {} : { body }), ...more });

const form = (fields: Readonly<Record<string, string>> = {}): FormData => {
  const made = new FormData();
  made.append('file', new Blob(['Changed.']), 'changed.txt');
  for (const [name, value] of Object.entries(fields)) made.append(name, value);
  return made;
};

const SUMMARY = { content: 'Changed.', versioning: true };
const LISTS = { access_control: { readers: [] } };
const MESSAGE = { role: 'user', content: 'Hello' };
const document = ({ document_id: id = '' }: Thing): string => id;
const folder = ({ folder: path = '' }: Thing): string => `/${path}"`;
const search = (thing: Thing): object => ({
  query: 'lamp',
  k: 100,
  filters: { external_id: document(thing) },
});
/** The status of an outcome, of a route that reports one for each document. */
const outcomes = (status: number, text: string): number =>
  text.includes('"forbidden"') ? 403 : text.includes('"not_found"') ? 404 : status;
const insteadOf =
  (given: number, meant: number) =>
  (status: number): number =>
    status === given ? meant : status;
const mcp = (name: string, input: (thing: Thing) => object) => (thing: Thing) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: input(thing) },
});

/** A response from the documents of a store, as a token needs it. */
const searching = ({ open_store: store }: Thing): object => ({
  model: 'lectern',
  input: 'Hello',
  tools: [{ type: 'file_search', vector_store_ids: [store] }],
});

/** Routes of webhooks, which belong to the key that made them or to its person. */
export const OF_WEBHOOKS = [
  'POST /webhooks',
  'GET /webhooks',
  'GET /webhooks/{webhook_id}',
  'PATCH /webhooks/{webhook_id}',
  'DELETE /webhooks/{webhook_id}',
  'POST /webhooks/{webhook_id}/rotate_secret',
  'POST /webhooks/{webhook_id}/test',
  'GET /webhooks/{webhook_id}/deliveries',
  'POST /webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver',
];

/** What each operation of the API description does with owned things. */
export const OPERATIONS: Readonly<Record<string, readonly Operation[]>> = {
  'GET /documents/{document_id}': [on('document', 'reads')],
  'GET /documents/{document_id}/status': [on('document', 'reads')],
  'GET /documents/{document_id}/download_url': [on('document', 'reads')],
  'GET /documents/{document_id}/file': [on('document', 'reads')],
  'GET /documents/{document_id}/summary': [on('document', 'reads')],
  'GET /documents/filename/{filename}': [on('document', 'reads')],
  'POST /documents/pages': [
    on('document', 'reads', (thing) => ({ document_id: document(thing), start_page: 1, end_page: 1 }), {
      with: 'paged document',
    }),
  ],
  'GET /documents/{document_id}/pages/{page_number}/image': [
    on('document', 'reads', undefined, { with: 'paged document' }),
  ],
  'POST /documents/{document_id}/pages/{page_number}/places': [
    on('document', 'reads', { text: 'page' }, { with: 'paged document' }),
  ],
  'POST /documents': [shows('document', document, { limit: 1_000 })],
  'POST /documents/list_docs': [shows('document', document, { limit: 1_000 })],
  'POST /batch/documents': [shows('document', document, (thing) => ({ document_ids: [document(thing)] }))],
  'POST /batch/chunks': [
    shows('document', document, (thing) => ({
      sources: [{ document_id: document(thing), chunk_number: 0 }],
    })),
  ],
  'GET /metadata/fields': [
    shows('document', ({ folder: path = '' }) => `field of ${path}"`, undefined, { query: 'limit=1000' }),
  ],
  'GET /metadata/fields/{name}/values': [
    shows('document', ({ filename = '' }) => filename, undefined, { query: 'limit=1000' }),
  ],
  'POST /search/documents': [shows('document', document, ({ filename }) => ({ query: filename }))],
  'POST /retrieve/chunks': [shows('document', document, search)],
  'POST /retrieve/chunks/grouped': [shows('document', document, search)],
  'POST /retrieve/docs': [shows('document', document, search)],
  'POST /query': [shows('document', document, search)],
  'POST /v1/chat/completions': [
    shows('document', document, (thing) => ({
      model: 'lectern',
      messages: [MESSAGE],
      filters: { external_id: document(thing) },
    })),
  ],
  'POST /mcp': [
    shows('document', document, mcp('search', search), { tool: 'read' }),
    shows(
      'document',
      document,
      mcp('list_documents', (thing) => ({ filters: { external_id: document(thing) } })),
      { tool: 'documents' },
    ),
    shows(
      'document',
      () => 'lit at dusk',
      mcp('read_document', (thing) => ({ document_id: document(thing) })),
      { tool: 'chunks' },
    ),
  ],
  'PATCH /documents/{document_id}': [
    on('document', 'changes', ({ filename }) => ({ filename: `new-${filename}` })),
    on('document', 'manages', LISTS),
  ],
  'PUT /documents/{document_id}/summary': [on('document', 'changes', SUMMARY)],
  'POST /documents/{document_id}/update_text': [on('document', 'changes', { content: 'Changed.' })],
  'POST /documents/{document_id}/update_file': [on('document', 'changes', () => form())],
  'POST /documents/{document_id}/update_metadata': [on('document', 'changes', { changed: true })],
  'POST /ingest/requeue': [
    on('document', 'changes', (thing) => ({ jobs: [{ external_id: document(thing) }] }), {
      verdict: outcomes,
    }),
  ],
  'DELETE /documents/{document_id}': [on('document', 'manages')],
  'POST /documents/delete': [
    on('document', 'manages', (thing) => ({ document_ids: [document(thing)] }), { verdict: outcomes }),
  ],
  'DELETE /folders/{folder}/documents/{document_id}': [on('document', 'manages')],
  'POST /folders/{folder}/documents/{document_id}': [
    on('document', 'manages', undefined, { with: 'document to move' }),
  ],

  'GET /folders/{folder}': [on('folder', 'reads')],
  'GET /folders/{folder}/summary': [on('folder', 'reads')],
  'GET /folders': [shows('folder', folder)],
  'GET /folders/summary': [shows('folder', folder)],
  'POST /folders/details': [shows('folder', document, { include_documents: true, document_limit: 1_000 })],
  'PUT /folders/{folder}/summary': [on('folder', 'changes', SUMMARY)],
  'POST /ingest/text': [
    on('folder', 'adds', ({ folder: path }) => ({ content: 'New.', folder_name: `/${path}` })),
  ],
  'PATCH /folders/{folder}': [on('folder', 'manages', LISTS)],
  'POST /folders/{folder}/move': [
    on('folder', 'manages', ({ folder: path }) => ({ new_path: `/moved-${path}` })),
  ],
  'DELETE /folders/{folder}': [on('folder', 'manages', undefined, { query: 'recursive=true' })],

  'GET /v1/vector_stores/{vector_store_id}': [on('store', 'reads')],
  'POST /v1/vector_stores/{vector_store_id}/search': [on('store', 'reads', { query: 'lamp' })],
  'GET /v1/vector_stores/{vector_store_id}/files': [on('store', 'reads')],
  'GET /v1/vector_stores/{vector_store_id}/files/{file_id}': [on('store', 'reads')],
  'GET /v1/vector_stores/{vector_store_id}/files/{file_id}/content': [on('store', 'reads')],
  'GET /v1/vector_stores': [
    shows('store', ({ vector_store_id: id = '' }) => id, undefined, { query: 'limit=100' }),
  ],
  'POST /v1/vector_stores/{vector_store_id}': [
    on('store', 'changes', { name: 'Changed' }),
    on('store', 'manages', { expires_after: { anchor: 'last_active_at', days: 3 } }),
  ],
  'POST /v1/vector_stores/{vector_store_id}/files': [
    on('store', 'adds', ({ open_file: id }) => ({ file_id: id })),
  ],
  'POST /v1/vector_stores/{vector_store_id}/file_batches': [
    on('store', 'adds', ({ open_file: id }) => ({ file_ids: [id] })),
  ],
  'POST /v1/vector_stores/{vector_store_id}/files/{file_id}': [
    on('store', 'changes', { attributes: { changed: true } }),
  ],
  'DELETE /v1/vector_stores/{vector_store_id}/files/{file_id}': [on('store', 'manages')],
  'DELETE /v1/vector_stores/{vector_store_id}': [on('store', 'manages')],

  'GET /v1/files/{file_id}': [on('file', 'reads')],
  'GET /v1/files/{file_id}/content': [on('file', 'reads')],
  'GET /v1/files': [shows('file', ({ file_id: id = '' }) => id, undefined, { query: 'limit=1000' })],
  'DELETE /v1/files/{file_id}': [on('file', 'manages')],

  'GET /v1/vector_stores/{vector_store_id}/file_batches/{batch_id}': [on('batch', 'reads')],
  'GET /v1/vector_stores/{vector_store_id}/file_batches/{batch_id}/files': [on('batch', 'reads')],
  'POST /v1/vector_stores/{vector_store_id}/file_batches/{batch_id}/cancel': [on('batch', 'changes')],

  'GET /chat/{chat_id}': [on('chat', 'reads')],
  'GET /chat/{chat_id}/versions': [on('chat', 'reads')],
  'GET /chats': [shows('chat', ({ chat_id: id = '' }) => id, undefined, { query: 'limit=100' })],
  'PATCH /chats/{chat_id}': [on('chat', 'changes', { pinned: true })],
  'PATCH /chats/{chat_id}/title': [on('chat', 'changes', undefined, { query: 'title=Changed' })],
  'DELETE /chats/{chat_id}': [on('chat', 'manages')],
  'PUT /chat/{chat_id}/messages/{message_index}/feedback': [on('feedback', 'changes', { rating: 'bad' })],
  'DELETE /chat/{chat_id}/messages/{message_index}/feedback': [on('feedback', 'manages')],
  'GET /feedback': [shows('feedback', ({ chat_id: id = '' }) => id, undefined, { query: 'limit=1000' })],
  'GET /feedback/questions': [shows('feedback', ({ question = '' }) => question)],

  'GET /v1/conversations/{conversation_id}': [on('conversation', 'reads')],
  'GET /v1/conversations/{conversation_id}/items': [on('conversation', 'reads')],
  'GET /v1/conversations/{conversation_id}/items/{item_id}': [on('conversation', 'reads')],
  'POST /v1/conversations/{conversation_id}': [on('conversation', 'changes', { metadata: { a: 'b' } })],
  'POST /v1/conversations/{conversation_id}/items': [on('conversation', 'changes', { items: [MESSAGE] })],
  'DELETE /v1/conversations/{conversation_id}/items/{item_id}': [on('conversation', 'manages')],
  'DELETE /v1/conversations/{conversation_id}': [on('conversation', 'manages')],
  'GET /v1/responses/{response_id}': [on('response', 'reads')],
  'GET /v1/responses/{response_id}/input_items': [on('response', 'reads')],
  'DELETE /v1/responses/{response_id}': [on('response', 'manages')],
  'POST /v1/responses': [
    on(
      'response',
      'reads',
      ({ response_id: id, ...thing }) => ({ ...searching(thing), previous_response_id: id }),
      { verdict: insteadOf(400, 404) },
    ),
    on(
      'conversation',
      'changes',
      ({ conversation_id: id, ...thing }) => ({ ...searching(thing), conversation: id }),
      { verdict: insteadOf(400, 404) }, // a token without a person continues none
    ),
  ],

  'GET /keys': [shows('key', ({ id = '' }) => id)],
  'POST /keys/{id}/sign_in_link': [on('key', 'changes')],
  'DELETE /keys/{id}': [on('key', 'manages')],
  'GET /groups': [shows('group', ({ group_id: id = '' }) => id)],
  'GET /groups/{group_id}': [on('group', 'reads')],
  'POST /groups/{group_id}/members': [on('group', 'changes', { members: ['newcomer'] })],
  'DELETE /groups/{group_id}/members/{member_id}': [on('group', 'manages')],
  'PATCH /groups/{group_id}': [on('group', 'changes', { name: 'Renamed' })],
  'DELETE /groups/{group_id}': [on('group', 'manages')],
  'GET /usage/keys': [shows('usage', ({ key_name: name = '' }) => name)],
  'GET /audit': [shows('usage', ({ id = '' }) => id, undefined, { query: 'limit=500&action=key.create' })],
};

/** Operations that make a new thing, which is the caller's, and say nothing of others. */
export const MAKES: Readonly<Record<string, () => object>> = {
  'POST /ingest/file': () => form(),
  'POST /ingest/files': () => {
    const made = new FormData();
    made.append('files', new Blob(['New.']), 'new.txt');
    return made;
  },
  'POST /folders': () => ({ name: `new-${Math.random()}` }),
  'POST /v1/files': () => form({ purpose: 'assistants' }),
  'POST /v1/vector_stores': () => ({ name: 'New' }),
  'POST /v1/conversations': () => ({ items: [MESSAGE] }),
  'POST /keys': () => ({ name: 'New', scopes: ['read'], end_user_id: 'newcomer' }),
  'POST /groups': () => ({ id: `new-${Math.random()}` }),
};

/** Operations that touch no owned thing, and why. */
export const OTHERS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      'GET /ping',
      'GET /health',
      'GET /health/live',
      'GET /health/ready',
      'GET /metrics',
      'GET /models',
      'GET /v1/models',
      'GET /v1/models/{model}',
      'POST /v1/embeddings',
      'GET /settings/model',
      'PUT /settings/model',
      'DELETE /settings/model',
      'POST /settings/model/test',
      'POST /settings/model/list',
    ].map((route) => [route, 'of the service']),
  ),
  ...Object.fromEntries(
    [
      'POST /local/generate_uri',
      'POST /cloud/generate_uri',
      'GET /apps',
      'DELETE /apps',
      'POST /apps/rotate_token',
      'PATCH /apps/rename',
    ].map((route) => [route, 'of tenants: tenants.e2e.ts']),
  ),
  'POST /ingest/demo': 'makes documents as POST /ingest/text does',
  'GET /files': 'by a signed link: tokens-and-links.e2e.ts',
  'POST /keys/invitation': 'by a sign-in link: tokens-and-links.e2e.ts',
  'POST /keys/sign_in': 'by a sign-in link: tokens-and-links.e2e.ts',
  'POST /keys/{id}/token': 'sees what its maker sees: tokens-and-links.e2e.ts',
  ...Object.fromEntries(
    [
      'GET /session',
      'GET /session/start',
      'GET /session/callback',
      'POST /session',
      'DELETE /session',
      'GET /devices',
      'POST /devices/link',
      'DELETE /devices/{device_id}',
    ].map((route) => [route, 'of the browsers of the caller: test/identity']),
  ),
  ...Object.fromEntries(
    [
      'GET /people',
      'POST /people',
      'GET /people/{person_id}',
      'GET /people/{person_id}/export',
      'PATCH /people/{person_id}',
      'DELETE /people/{person_id}',
      'GET /directory',
    ].map((route) => [route, 'of people: test/operations/people.e2e.ts']),
  ),
  'GET /usage/app-storage': 'counts: access-property.e2e.ts',
  'GET /events': 'a stream: events.e2e.ts',
  ...Object.fromEntries(
    ['GET /answers', 'GET /answers/{answer_id}/events', 'POST /answers/{answer_id}/stop'].map((route) => [
      route,
      'of those who asked, for a minute: lasting-answers.e2e.ts',
    ]),
  ),
  ...Object.fromEntries(OF_WEBHOOKS.map((route) => [route, 'of the key or its person: webhooks.e2e.ts'])),
  ...Object.fromEntries(
    ['GET', 'POST', 'DELETE']
      .map((method) => `${method} /chats/{chat_id}/link`)
      .concat('GET /shared_chats/{link_id}')
      .map((route) => [route, 'of the owner of the chat, and of whoever has its link: shared-chats.e2e.ts']),
  ),
  'GET /suggestions': 'of the newest documents: access-property.e2e.ts',
  'GET /usage/quotas': 'of the tenant, or of the person of the key: quotas.e2e.ts',
  'GET /logs': 'of administrators, without ids of things',
  'POST /v1/responses/{response_id}/cancel': 'refuses everybody, whether the response exists or not',
};

/** The scopes of browser tokens that reach an operation. Every other operation answers a token with 403. */
export const FOR_TOKENS: Readonly<Record<string, readonly TokenUse[]>> = {
  'POST /retrieve/chunks': ['read'],
  'POST /retrieve/chunks/grouped': ['read'],
  'POST /retrieve/docs': ['read'],
  'POST /query': ['query'],
  'GET /answers': ['query', 'chats'],
  'GET /answers/{answer_id}/events': ['query', 'chats'],
  'POST /answers/{answer_id}/stop': ['query'],
  'POST /v1/chat/completions': ['query'],
  'POST /v1/responses': ['query'],
  'POST /mcp': ['read', 'query', 'chunks', 'page_images', 'documents', 'ingest'],
  'POST /documents': ['documents'],
  'POST /documents/list_docs': ['documents'],
  'GET /documents/{document_id}': ['documents'],
  'GET /documents/filename/{filename}': ['documents'],
  'POST /batch/documents': ['documents'],
  'POST /search/documents': ['documents'],
  'GET /documents/{document_id}/status': ['status'],
  'POST /batch/chunks': ['chunks'],
  'POST /documents/pages': ['page_images'],
  'GET /documents/{document_id}/pages/{page_number}/image': ['page_images'],
  'POST /documents/{document_id}/pages/{page_number}/places': ['places'],
  'GET /documents/{document_id}/download_url': ['download'],
  'GET /documents/{document_id}/file': ['download'],
  'GET /metadata/fields': ['documents'],
  'GET /metadata/fields/{name}/values': ['documents'],
  'GET /events': ['status'],
  'GET /suggestions': ['suggestions'],
  'GET /chats': ['chats'],
  'GET /chat/{chat_id}': ['chats'],
  'GET /chat/{chat_id}/versions': ['chats'],
  'PATCH /chats/{chat_id}': ['chats'],
  'PATCH /chats/{chat_id}/title': ['chats'],
  'DELETE /chats/{chat_id}': ['chats'],
  'PUT /chat/{chat_id}/messages/{message_index}/feedback': ['feedback'],
  'DELETE /chat/{chat_id}/messages/{message_index}/feedback': ['feedback'],
  'POST /ingest/text': ['ingest'],
  'POST /ingest/file': ['ingest'],
  'POST /ingest/files': ['ingest'],
};
