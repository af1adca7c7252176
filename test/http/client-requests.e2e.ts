import { becomesReady } from '../support/health.js';
import { mismatches, type Shape } from '../support/shape.js';
import { numberedPdf } from '../support/minimal-pdf.js';
import { SharedService } from '../support/shared-service.js';

const DOCUMENT: Shape = {
  external_id: 'string',
  owner: { type: 'string', id: 'string' },
  content_type: 'string',
  filename: 'string|null',
  metadata: { external_id: 'string', folder_name: 'string|null' },
  metadata_types: 'object',
  storage_info: 'object',
  storage_files: [
    {
      bucket: 'string',
      key: 'string',
      version: 'number',
      filename: 'string|null',
      content_type: 'string',
      timestamp: 'string',
    },
  ],
  system_metadata: { status: 'string', version: 'number', created_at: 'string', updated_at: 'string' },
  additional_metadata: 'object',
  access_control: { readers: ['string'], writers: ['string'], admins: ['string'], app_access: ['string'] },
  chunk_ids: ['string'],
  folder_name: 'string|null',
  folder_path: 'string|null',
  folder_id: 'string|null',
  end_user_id: 'string|null',
  app_id: 'string|null',
};
const CHUNK: Shape = {
  content: 'string',
  score: 'number',
  document_id: 'string',
  chunk_number: 'number',
  metadata: { is_image: 'boolean' },
  content_type: 'string',
  filename: 'string|null',
  download_url: 'string|null',
};
const COMPLETION: Shape = {
  completion: 'string|object',
  usage: { prompt_tokens: 'number', completion_tokens: 'number', total_tokens: 'number' },
  sources: [{ document_id: 'string', chunk_number: 'number', score: 'number|null' }],
  metadata: 'object|null',
  finish_reason: 'string|null',
};
const FOLDER: Shape = {
  id: 'string',
  name: 'string',
  full_path: 'string|null',
  parent_id: 'string|null',
  depth: 'number|null',
  description: 'string|null',
  document_ids: ['string'],
  system_metadata: 'object',
  child_count: 'number|null',
};
const SUMMARY: Shape = {
  content: 'string',
  storage_key: 'string',
  bucket: 'string|null',
  version: 'number',
  updated_at: 'string|null',
};
const LIST: Shape = {
  documents: [DOCUMENT],
  skip: 'number',
  limit: 'number',
  returned_count: 'number',
  total_count: 'number|null',
  has_more: 'boolean',
  next_skip: 'number|null',
  status_counts: 'object|null',
  folder_counts: 'list|null',
};
const SUCCESS: Shape = { status: 'string', message: 'string' };
const APP: Shape = { app_id: 'string', name: 'string' };

/** A request body: JSON, a form, or empty with the content type JSON. */
type Body = object | FormData | null;

interface ClientRequest {
  readonly method: string;
  /** May contain names from `remember` in braces. */
  readonly path: string;
  readonly body: Body;
  readonly status?: number;
  readonly shape: Shape;
  /** Variables to set: name and path of a member of the response. */
  readonly remember?: Readonly<Record<string, string>>;
}

const get = (path: string, shape: Shape, remember = {}): ClientRequest => ({
  method: 'GET',
  path,
  body: null,
  shape,
  remember,
});
const send = (method: string, path: string, body: Body, shape: Shape, remember = {}): ClientRequest => ({
  method,
  path,
  body,
  shape,
  remember,
});
const refused = (method: string, path: string, body: Body, status: number): ClientRequest => ({
  method,
  path,
  body,
  status,
  shape: { detail: 'string|list' },
});

function form(
  members: Readonly<Record<string, string>>,
  files: Readonly<Record<string, Uint8Array>>,
): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(members)) data.append(name, value);
  const field = Object.keys(files).length === 1 ? 'file' : 'files';
  for (const [name, bytes] of Object.entries(files))
    data.append(field, new Blob([new Uint8Array(bytes)]), name);
  return data;
}

const text = (content: string): Uint8Array => new TextEncoder().encode(content);

/** Requests that clients of this interface family send, ordered so that each finds its resources. */
const REQUESTS: readonly ClientRequest[] = [
  get('/ping', { status: 'string', message: 'string' }),
  get('/health', { status: 'string', services: [{ name: 'string', status: 'string' }], timestamp: 'string' }),
  send(
    'POST',
    '/ingest/text',
    {
      content: 'The harbour lamp is lit at dusk.',
      filename: 'lamp.txt',
      metadata: { kind: 'note', n: 5 },
      metadata_types: { n: 'number' },
      use_colpali: true,
      folder_name: null,
      end_user_id: null,
    },
    DOCUMENT,
    { doc: 'external_id' },
  ),
  send(
    'POST',
    '/ingest/text',
    { content: 'Of one person.', filename: null, metadata: {}, metadata_types: {}, end_user_id: 'u1' },
    DOCUMENT,
  ),
  send(
    'POST',
    '/ingest/file',
    form(
      { metadata: '{"kind": "file"}', metadata_types: '{}', use_colpali: 'true' },
      { 'two.pdf': numberedPdf(2, 'Page') },
    ),
    DOCUMENT,
    { pdf: 'external_id' },
  ),
  send(
    'POST',
    '/ingest/files',
    form(
      { metadata: '{"a": 1}', use_colpali: 'false', parallel: 'true' },
      { 'a.txt': text('A.'), 'b.txt': text('B.') },
    ),
    { documents: [DOCUMENT], errors: [{ filename: 'string', error: 'string' }] },
    { file: 'documents.0.external_id' },
  ),
  ...['doc', 'pdf', 'file'].map((name) =>
    get(`/documents/{${name}}/status?wait=60`, {
      document_id: 'string',
      status: 'string',
      filename: 'string|null',
      created_at: 'string',
      updated_at: 'string',
    }),
  ),
  send(
    'POST',
    '/ingest/requeue',
    { include_all: true, statuses: null, limit: null, jobs: null },
    {
      results: [{ external_id: 'string', status: 'string', message: 'string|null' }],
    },
  ),
  send(
    'POST',
    '/ingest/requeue',
    { jobs: [{ external_id: '{doc}', use_colpali: null }] },
    {
      results: [{ external_id: 'string', status: 'string', message: 'string|null' }],
    },
  ),
  get('/documents/{doc}', DOCUMENT),
  get('/documents/filename/lamp.txt', DOCUMENT),
  ...['/documents', '/documents/list_docs'].map((path) =>
    send(
      'POST',
      path,
      {
        skip: 0,
        limit: 100,
        document_filters: null,
        return_documents: true,
        include_total_count: true,
        include_status_counts: true,
        include_folder_counts: true,
        completed_only: false,
        sort_by: 'updated_at',
        sort_direction: 'desc',
        fields: null,
      },
      LIST,
    ),
  ),
  send('POST', '/documents?folder_name=a&folder_name=b&folder_depth=-1&end_user_id=u1', {}, LIST),
  get('/documents/{doc}/download_url?expires_in=600', {
    document_id: 'string',
    download_url: 'string',
    expires_in: 'number',
    filename: 'string|null',
    content_type: 'string',
  }),
  send(
    'POST',
    '/documents/pages',
    { document_id: '{pdf}', start_page: 1, end_page: 2 },
    {
      document_id: 'string',
      pages: ['string'],
      start_page: 'number',
      end_page: 'number',
      total_pages: 'number',
    },
  ),
  send(
    'POST',
    '/documents/{doc}/update_text',
    { content: 'Second.', filename: null, metadata: {}, metadata_types: null, use_colpali: true },
    DOCUMENT,
  ),
  send(
    'POST',
    '/documents/{file}/update_file',
    form({ metadata: '{}', update_strategy: 'replace' }, { 'a.txt': text('Anew.') }),
    DOCUMENT,
  ),
  send(
    'POST',
    '/documents/{doc}/update_metadata',
    { metadata: { z: 1 }, metadata_types: { z: 'number' } },
    DOCUMENT,
  ),
  send('POST', '/documents/{doc}/update_metadata', { z: 2 }, DOCUMENT),
  send(
    'PUT',
    '/documents/{doc}/summary',
    { content: 'S', versioning: true, overwrite_latest: false },
    SUMMARY,
  ),
  get('/documents/{doc}/summary', SUMMARY),
  send(
    'POST',
    '/retrieve/chunks',
    { query: 'lamp', filters: null, k: 2, min_score: 0.0, use_colpali: true },
    [CHUNK],
  ),
  send(
    'POST',
    '/retrieve/chunks/grouped',
    { query: 'lamp', k: 2, min_score: 0.0, use_colpali: true, padding: 1, output_format: 'url' },
    {
      chunks: [CHUNK],
      groups: [{ main_chunk: CHUNK, padding_chunks: [CHUNK], total_chunks: 'number' }],
      total_results: 'number',
      has_padding: 'boolean',
    },
  ),
  send('POST', '/retrieve/docs', { query: 'lamp', filters: null, k: 4, use_reranking: null }, [
    {
      score: 'number',
      document_id: 'string',
      metadata: 'object',
      content: { type: 'string', value: 'string', filename: 'string|null' },
      additional_metadata: 'object',
    },
  ]),
  send('POST', '/search/documents', { query: 'lamp', limit: 10 }, [DOCUMENT]),
  send('POST', '/batch/documents', { document_ids: ['{doc}'], folder_name: null }, [DOCUMENT]),
  send(
    'POST',
    '/batch/chunks',
    { sources: [{ document_id: '{doc}', chunk_number: 0, score: null }], use_colpali: true },
    [CHUNK],
  ),
  send(
    'POST',
    '/query',
    { query: 'When is the lamp lit?', k: 4, min_score: 0.0, use_colpali: true },
    COMPLETION,
  ),
  send(
    'POST',
    '/query',
    { query: 'lamp?', chat_id: 'c-1', inline_citations: true, schema: null },
    COMPLETION,
  ),
  get('/chats?limit=100', [
    { chat_id: 'string', title: 'string|null', created_at: 'string|null', updated_at: 'string|null' },
  ]),
  get('/chat/c-1', [{ role: 'string', content: 'string', timestamp: 'string' }]),
  send('PATCH', '/chats/c-1/title?title=Lamps', null, 'object'),
  send('PATCH', '/chats/c-1/title', { title: 'Lamps' }, 'object'),
  send('DELETE', '/chats/c-1', null, 'object'),
  send('POST', '/folders', { name: 'f1', full_path: null, parent_id: null, description: null }, FOLDER, {
    folder: 'id',
  }),
  send('POST', '/folders', { name: 'c', full_path: '/f1/b/c' }, FOLDER),
  get('/folders', [FOLDER]),
  get('/folders/summary', [
    {
      id: 'string',
      name: 'string',
      full_path: 'string|null',
      doc_count: 'number',
      updated_at: 'string|null',
    },
  ]),
  send(
    'POST',
    '/folders/details',
    { include_document_count: true, include_documents: true, document_limit: 25 },
    {
      folders: [{ folder: FOLDER, document_info: 'object|null' }],
    },
  ),
  send('POST', '/folders/f1/documents/{doc}', null, SUCCESS),
  get('/folders/f1', FOLDER),
  get('/folders/{folder}', FOLDER),
  get('/folders/f1/b/c', FOLDER),
  get('/folders/f1%2Fb%2Fc', FOLDER),
  send('PUT', '/folders/f1/b/summary', { content: 'S', versioning: true, overwrite_latest: false }, SUMMARY),
  get('/folders/f1/b/summary', SUMMARY),
  send('POST', '/folders/f1/b/move', { new_path: '/f1/d' }, FOLDER),
  refused('DELETE', '/folders/f1', null, 409),
  send('DELETE', '/folders/f1/documents/{doc}', null, SUCCESS),
  send('DELETE', '/folders/f1?recursive=true', null, SUCCESS),
  send(
    'POST',
    '/cloud/generate_uri',
    { name: 'acme', app_id: null, expiry_days: 30 },
    { uri: 'string|null' },
  ),
  get('/apps?limit=100&offset=0', { apps: [APP] }),
  send('PATCH', '/apps/rename?app_name=acme&new_name=acme2', null, 'object'),
  send('POST', '/apps/rotate_token?app_name=acme2', null, 'object'),
  send('DELETE', '/apps?app_name=acme2', null, 'object'),
  send(
    'POST',
    '/keys',
    { name: 'k', scopes: ['read'], app_id: null, expires_in: null },
    {
      id: 'string',
      key: 'string',
      name: 'string',
      scopes: ['string'],
    },
    { key: 'id' },
  ),
  get('/keys', [
    { id: 'string', name: 'string', scopes: ['string'], created_at: 'string', expires_at: 'string|null' },
  ]),
  send('DELETE', '/keys/{key}', null, SUCCESS),
  get('/usage/app-storage', { app_id: 'string', total_mb: 'number', document_count: 'number' }),
  get('/logs/?limit=100&hours=4.0', [{ timestamp: 'string', operation_type: 'string', status: 'string' }]),
  get('/models', 'object'),
  get('/v1/models', { object: 'string', data: [{ id: 'string', object: 'string' }] }),
  send(
    'POST',
    '/v1/embeddings',
    { model: 'lectern', input: 'lamp' },
    {
      object: 'string',
      data: [{ object: 'string', index: 'number', embedding: ['number'] }],
      model: 'string',
      usage: { prompt_tokens: 'number', total_tokens: 'number' },
    },
  ),
  send(
    'POST',
    '/v1/chat/completions',
    { model: 'lectern', messages: [{ role: 'user', content: 'lamp?' }] },
    {
      id: 'string',
      object: 'string',
      choices: [{ index: 'number', message: { role: 'string', content: 'string' }, finish_reason: 'string' }],
    },
  ),
  send(
    'POST',
    '/documents/delete',
    { document_ids: ['{file}', '{file}x'] },
    {
      results: [{ document_id: 'string', status: 'string', message: 'string' }],
    },
  ),
  send('DELETE', '/documents/{doc}', null, SUCCESS),
  refused('GET', '/documents/{doc}', null, 404),
  refused('POST', '/retrieve/chunks', { query: null }, 422),
];

describe('clients of this interface family', () => {
  let service: SharedService;
  const remembered = new Map<string, string>();
  beforeAll(async () => {
    service = await SharedService.enter();
    await becomesReady(service.as(null));
  });
  afterAll(() => service.stop());

  const filledIn = (template: string): string =>
    template.replaceAll(/\{(\w+)\}/g, (whole, name: string) => remembered.get(name) ?? whole);

  it.each(REQUESTS.map((request) => [`${request.method} ${request.path}`, request] as const))(
    'get a successful response: %s',
    async (_name, { method, path, body, status = 200, shape, remember = {} }) => {
      // Clients send the content type JSON with or without a body.
      const isForm = body instanceof FormData;
      const { client, operator } = service;
      const answer = await (/^\/(apps|cloud)\b/.test(path) ? operator : client).call(method, filledIn(path), {
        headers: isForm ? {} : { 'content-type': 'application/json' },
        ...(body === null ? {} : { body: isForm ? body : filledIn(JSON.stringify(body)) }),
      });
      const told = answer.json();
      expect([answer.status, answer.status === status ? '' : answer.text]).toEqual([status, '']);
      expect(mismatches(told, shape)).toEqual([]);
      for (const [name, place] of Object.entries(remember)) {
        const value = place.split('.').reduce((at, step) => (at as Record<string, unknown>)[step], told);
        remembered.set(name, String(value));
      }
    },
  );
});
