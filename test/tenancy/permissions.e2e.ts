import { randomUUID } from 'node:crypto';
import { CompletionService } from '../support/completion-service.js';
import { type Answer, answerOf, type Client } from '../support/client.js';
import { describedInputs, type DescribedInput } from '../support/described-input.js';
import { describedRoutes, type DescribedRoute } from '../support/described-routes.js';
import { Documents } from '../support/documents.js';
import type { Service } from '../support/service.js';
import { until } from '../support/until.js';

const SCOPES = ['read', 'query', 'write', 'admin'] as const;

const ROUTES = describedRoutes();
const GUARDED = ROUTES.filter(({ scopes }) => scopes !== null);
const named = (routes: readonly DescribedRoute[]) =>
  routes.map((route) => [`${route.method} ${route.path}`, route] as const);

/**
 * Routes without a key: health, signed links, routes that issue a key for a password or code, the sign-in of browsers, and
 * metrics on this machine.
 */
const OPEN = [
  'GET /ping',
  'GET /health',
  'GET /health/live',
  'GET /health/ready',
  'GET /files',
  'POST /local/generate_uri',
  'POST /keys/invitation',
  'POST /keys/sign_in',
  'GET /session',
  'GET /session/start',
  'GET /session/callback',
  'POST /session',
  'DELETE /session',
  'GET /metrics',
];

/** Parameter names that are ids of resources, in paths, query strings and bodies, by resource. */
const DOCUMENT = new Set(['document_id', 'document_ids', 'external_id']);
const CHAT = new Set(['chat_id']);
const FOLDER = new Set(['folder', 'parent_id', 'identifiers']);
const KEY = new Set(['id']);
const TENANT = new Set(['app_id', 'app_name']);
const FILE = new Set(['file_id', 'file_ids']);
const STORE = new Set(['vector_store_id']);
const RESPONSE = new Set(['response_id', 'previous_response_id']);
const BATCH = new Set(['batch_id']);
const CONVERSATION = new Set(['conversation_id', 'conversation']);
/** Names of ids that refer to nothing stored: chosen by the caller, names of models, and filters. */
const NO_IDS = new Set([
  'end_user_id',
  'org_id',
  'user_id',
  'custom_id',
  'app_id_filter',
  'app_name_filter',
  'deployment_id',
  'tool_call_id',
  'device_id', // a browser of the caller: test/identity/sign-in.e2e.ts
  'answer_id', // chosen by the caller: test/query/lasting-answers.e2e.ts
  'last_event_id',
  'ids', // people and groups: test/operations/people.e2e.ts
]);

interface Things {
  readonly document: string;
  readonly chat: string;
  readonly folder: string;
  readonly key: string;
  readonly tenant: string;
  readonly file: string;
  readonly store: string;
  readonly batch: string;
  readonly response: string;
  readonly conversation: string;
}

function idAt(name: string, things: Things): string | undefined {
  if (DOCUMENT.has(name)) return things.document;
  if (CHAT.has(name)) return things.chat;
  if (FOLDER.has(name)) return things.folder;
  if (KEY.has(name)) return things.key;
  if (TENANT.has(name)) return things.tenant;
  if (FILE.has(name)) return things.file;
  if (STORE.has(name)) return things.store;
  if (BATCH.has(name)) return things.batch;
  if (RESPONSE.has(name)) return things.response;
  if (CONVERSATION.has(name)) return things.conversation;
  return undefined;
}

/**
 * Returns the last name in the location of an input: `sources.0.document_id`, `document_ids`,
 * `document_ids.0`.
 */
function nameOf({ place }: DescribedInput): string {
  return String(place.findLast((part) => typeof part === 'string'));
}

const ID_INPUTS = describedInputs().filter(
  (input) =>
    /(^|_)ids?$|^identifiers$|^app_name$|^conversation$/.test(nameOf(input)) && !NO_IDS.has(nameOf(input)),
);

describe('access to every route of the OpenAPI document', () => {
  let models: CompletionService;
  let service: Service;
  let foreign: Things;
  const clients = new Map<string, Client>();
  const clientWith = (name: string): Client => {
    const client = clients.get(name);
    if (client === undefined) throw new Error(`no client ${name}`);
    return client;
  };

  const keyWith = async (scopes: readonly string[], more: object = {}) =>
    (await service.client.post('/keys', { name: 'k', app_id: 'one', scopes, ...more })).json() as {
      id: string;
      key: string;
    };

  beforeAll(async () => {
    models = await CompletionService.start();
    ({ service } = models);
    for (const scope of SCOPES) clients.set(scope, service.as((await keyWith([scope])).key));
    const revoked = await keyWith(['admin']);
    clients.set('revoked', service.as(revoked.key));
    expect((await service.client.delete(`/keys/${revoked.id}?app_id=one`)).status).toBe(200);
    clients.set('expired', service.as((await keyWith(['admin'], { expires_in: 1 })).key));
    clients.set('nobody', service.as(null));
    clients.set('garbage', service.as('garbage'));

    const other = await service.client.post('/keys', { name: 'k', app_id: 'other', scopes: ['admin'] });
    const { id: key, key: secret } = other.json() as { id: string; key: string };
    const client = service.as(secret);
    const document = await new Documents(() => client).ingestText('The lighthouse is painted red.', {
      folder_name: '/secret',
    });
    const chat = randomUUID();
    expect((await client.post('/query', { query: 'lighthouse', chat_id: chat })).status).toBe(200);
    const folder = (await client.get('/folders/secret')).json() as { id: string };
    const form = fileForm();
    form.append('purpose', 'assistants');
    const { id: file } = (await client.post('/v1/files', form)).json() as { id: string };
    const { id: store } = (await client.post('/v1/vector_stores', {})).json() as { id: string };
    const attached = await client.post(`/v1/vector_stores/${store}/file_batches`, { file_ids: [file] });
    const { id: batch } = attached.json() as { id: string };
    const responses = '/v1/responses';
    const answered = await client.post(responses, { model: 'lectern', input: 'lighthouse' });
    const { id: response } = answered.json() as { id: string };
    const begun = await client.post('/v1/conversations', {
      items: [{ role: 'user', content: 'lighthouse' }],
    });
    const { id: conversation } = begun.json() as { id: string };
    foreign = {
      document: document.external_id,
      chat,
      folder: folder.id,
      key,
      tenant: 'other',
      file,
      store,
      batch,
      response,
      conversation,
    };
    clients.set('other', client);

    for (const name of ['revoked', 'expired']) {
      await until(
        'the key is refused',
        async () => (await clientWith(name).get('/documents/x')).status === 401,
      );
    }
  });
  afterAll(() => models.stop());

  const call = async ({ method, path, takes }: DescribedRoute, client: Client): Promise<Answer> => {
    const at = path.replaceAll(/\{\w+\}/g, randomUUID());
    const form = takes.includes('multipart/form-data') ? new FormData() : undefined;
    const body = form ?? (takes.length > 0 ? '{}' : undefined);
    const response = await client.fetch(method, at, body === undefined ? {} : { body });
    if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true)
      return answerOf(response);
    // A stream of events ends only when its reader leaves.
    await response.body?.cancel();
    return answerOf(new Response(null, response));
  };

  it('is public on routes without tenant data', () => {
    const open = ROUTES.filter(({ scopes }) => scopes === null);
    expect(open.map(({ method, path }) => `${method} ${path}`)).toEqual(expect.arrayContaining(OPEN));
    expect(open).toHaveLength(OPEN.length);
    expect(ROUTES.length).toBeGreaterThan(60);
  });

  it.each(named(GUARDED))('is denied without a valid key: %s', async (_name, route) => {
    for (const name of ['nobody', 'garbage', 'revoked', 'expired']) {
      const answer = await call(route, clientWith(name));
      expect(Object.keys(answer.json() as object)).toContain('detail');
      // More than a hundred wrong keys in a minute, one for each route, are throttled.
      if (name === 'garbage' && answer.status === 429) continue;
      expect([name, answer.status]).toEqual([name, 401]);
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
    }
  });

  it.each(named(GUARDED))('needs one of the documented permissions: %s', async (_name, route) => {
    expect(route.scopes?.length).toBeGreaterThan(0);
    for (const scope of SCOPES) {
      const answer = await call(route, clientWith(scope));
      const isEnough = scope === 'admin' || route.scopes?.includes(scope) === true;
      // Operator-only operations on tenants return 403 for another reason than the permission.
      const lacksPermission = answer.status === 403 && answer.text.includes('lacks the permission');
      expect([scope, answer.status === 401, lacksPermission]).toEqual([scope, false, !isEnough]);
      expect(answer.status).toBeLessThan(500);
    }
  });

  describe('to resources of another tenant', () => {
    const unknown = (): Things => ({
      document: randomUUID(),
      chat: randomUUID(),
      folder: randomUUID(),
      key: randomUUID(),
      tenant: 'nobody',
      file: `file-${randomUUID().replaceAll('-', '')}`,
      store: `vs_${randomUUID().replaceAll('-', '')}`,
      batch: `vsfb_${randomUUID().replaceAll('-', '')}`,
      response: `resp_${randomUUID().replaceAll('-', '')}`,
      conversation: `conv_${randomUUID().replaceAll('-', '')}`,
    });
    /** Returns a response without the requested ids. */
    const told = ({ status, text }: Answer, things: Things): [number, string] => {
      const { document, chat, folder, key, file, store, batch, response, conversation } = things;
      const ids = [document, chat, folder, key, file, store, batch, response, conversation];
      return [status, ids.reduce((rest, id) => rest.replaceAll(id, '<id>'), text)];
    };

    it.each(
      named(GUARDED.filter(({ pathParameters }) => pathParameters.some((name) => idAt(name, unknown())))),
    )(
      'returns the same bytes as for unknown ids: %s',
      async (_name, { method, path, takes, pathParameters }) => {
        const ask = async (things: Things): Promise<[number, string]> => {
          const at = pathParameters.reduce(
            (rest, name) => rest.replace(`{${name}}`, idAt(name, things) ?? 'x'),
            path,
          );
          const example = describedInputs().find((input) => input.method === method && input.path === path);
          const json = example?.place[0] === 'body' ? example.requestWith('"x"').body : undefined;
          const form = takes.includes('multipart/form-data') ? fileForm() : undefined;
          const body = form ?? json;
          const query = method === 'PATCH' ? '?title=x' : '';
          return told(
            await clientWith('admin').call(method, at + query, body === undefined ? {} : { body }),
            things,
          );
        };
        const [known, other] = [await ask(foreign), await ask(unknown())];
        expect(known).toEqual(other);
        expect(known[0]).toBeGreaterThanOrEqual(400);
      },
    );

    it.each(
      ID_INPUTS.map((input) => [`${input.method} ${input.path} ${input.place.join('.')}`, input] as const),
    )('treats a foreign id like an unknown one: %s', async (_name, input) => {
      const ask = async (things: Things): Promise<[number, string]> => {
        const id = idAt(nameOf(input), things);
        if (id === undefined) throw new Error(`say in this spec what ${nameOf(input)} is an id of`);
        const isList = input.schema.type === 'array';
        const json = input.place[0] === 'query' ? id : JSON.stringify(isList ? [id] : id);
        const { path, body } = input.requestWith(json);
        const at = path.replaceAll(/\{\w+\}/g, things.document);
        const answer = await clientWith('admin').call(input.method, at, body === undefined ? {} : { body });
        return told(answer, things);
      };
      const [known, other] = [await ask(foreign), await ask(unknown())];
      expect(known[0]).toBe(other[0]);
      if (known[0] !== 200) expect(known[1]).toBe(other[1]);
      expect(known[1]).not.toContain('lighthouse is painted');
    });

    it('leaves everything unchanged', async () => {
      const client = clientWith('other');
      const document = await client.get(`/documents/${foreign.document}`);
      expect(document.json()).toMatchObject({
        folder_path: '/secret',
        system_metadata: { status: 'completed', version: 1 },
      });
      expect((await client.get(`/folders/${foreign.folder}`)).json()).toMatchObject({ full_path: '/secret' });
      expect((await client.get(`/chat/${foreign.chat}`)).json()).toHaveLength(2);
      expect((await client.get(`/v1/files/${foreign.file}`)).status).toBe(200);
      const store = `/v1/vector_stores/${foreign.store}`;
      expect((await client.get(store)).json()).toMatchObject({ name: '', file_counts: { total: 1 } });
      expect((await client.get(`${store}/files/${foreign.file}`)).json()).toMatchObject({ attributes: {} });
      const conversation = await client.get(`/v1/conversations/${foreign.conversation}/items`);
      expect((conversation.json() as { data: unknown[] }).data).toHaveLength(1);
      expect((await client.get(`/documents/${foreign.document}/summary`)).status).toBe(404);
      expect((await client.get(`/folders/${foreign.folder}/summary`)).status).toBe(404);
    });
  });
});

function fileForm(): FormData {
  const form = new FormData();
  form.append('file', new Blob(['A text.']), 'text.txt');
  return form;
}
