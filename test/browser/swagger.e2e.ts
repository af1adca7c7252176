import { randomUUID } from 'node:crypto';
import type { Browser } from 'playwright-core';
import { inBrowser, launchChromium } from './chromium.js';
import type { Answer } from '../support/client.js';
import { Documents, type DocumentRecord } from '../support/documents.js';
import { readFileSync } from 'node:fs';
import { ServiceProcess } from '../support/process.js';
import { Service } from '../support/service.js';
import { until } from '../support/until.js';
import { SwaggerPage, type Shown } from './swagger-page.js';

const REPORT = 'demo/documents/observatory-annual-report-2025.pdf';

const CHAT = 'support-1234';

/** Placeholders in prefilled bodies, each with the name of its replacement. */
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  'an id from POST /documents': 'document_id',
  'file-0199f1c2a4d87e0b9c3d5e6f7a8b9c0d': 'file_id',
  vs_0199f1c2a4d87e0b9c3d5e6f7a8b9c0d: 'vector_store_id',
  AAECAwQ: 'code',
};

/** Operations that refuse what these specs can do. */
const REFUSED: readonly string[] = [
  'POST /v1/responses/{response_id}/cancel', // responses cannot run in the background
  'POST /answers/{answer_id}/stop', // an answer without a model ends before it can be stopped
];

/** Where the webhook of the examples is. Nothing listens there. */
const HOOKS = 'https://app.example.com';

const TAGS = [
  'completion',
  'retrieval',
  'documents',
  'metadata',
  'ingestion',
  'events',
  'folders',
  'chats',
  'models',
  'vector stores',
  'mcp',
  'usage',
  'tenants',
  'operations',
];

interface Parameter {
  readonly name: string;
  readonly required: boolean;
  readonly schema: { readonly default?: string | number };
}

interface Operation {
  readonly tags: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly content: Readonly<
      Record<string, { readonly examples?: Readonly<Record<string, { readonly value: object }>> }>
    >;
  };
}

interface OpenApi {
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

const openApi = JSON.parse(readFileSync('openapi.json', 'utf8')) as OpenApi;

/** Operations, such as `POST /query`. */
const ALL_OPERATIONS = Object.entries(openApi.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(
    ([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const,
  ),
);

const OPERATIONS = ALL_OPERATIONS.filter(([named]) => !REFUSED.includes(named));

/** A form takes three seconds: the gate fills in those of these tags, the nightly run all of them (SWAGGER_FORMS=all). */
const FIRST_TAGS = ['completion', 'retrieval', 'documents', 'ingestion'];
const FORMS =
  process.env['SWAGGER_FORMS'] === 'all'
    ? OPERATIONS
    : OPERATIONS.filter(([, { tags }]) => tags.some((tag) => FIRST_TAGS.includes(tag)));

function examplesOf({ requestBody }: Operation): [string, object][] {
  const examples = requestBody?.content['application/json']?.examples ?? {};
  return Object.entries(examples).map(([summary, { value }]) => [summary, value]);
}

const idOf = (answer: Answer): string => (answer.json() as { id: string }).id;

/** Only a page of the service may sign its browser in. */
const OF_THE_PAGE = { 'sec-fetch-site': 'same-origin' };

/** A service with the demo's documents, and everything that the introduction says some forms need. */
class World {
  private constructor(
    readonly service: Service,
    private readonly documents: Documents,
    /** A document with page images. */
    private readonly paged: DocumentRecord,
  ) {}

  static async make(): Promise<World> {
    const service = await Service.start({ WEBHOOK_ALLOWED_BASES: HOOKS });
    const { code, output } = await ServiceProcess.spawn(
      { LECTERN_URL: service.url, LECTERN_API_KEY: service.adminKey },
      'dist/cli/lectern.js',
      ['ingest', 'demo/documents'],
    ).end();
    if (code !== 0) throw new Error(output);
    const documents = new Documents(() => service.client);
    const paged = await documents.ingestFile('paged.pdf', readFileSync(REPORT), { use_colpali: 'true' });
    return new World(service, documents, paged);
  }

  /**
   * Creates the resources that an operation needs.
   * @returns values for fields that are empty or a placeholder in the form: ids, the token of a link, the
   * code of a sign-in, a secret
   */
  async ready(operation: string): Promise<Readonly<Record<string, string>>> {
    const [, path = ''] = operation.split(' ');
    if (path.startsWith('/folders/{folder}')) await this.done('POST', '/folders', { name: 'manuals' });
    if (path.includes('{chat_id}')) {
      await this.done('POST', '/query', { query: 'When does the last boat leave?', chat_id: CHAT });
    }
    if (path.startsWith('/groups/')) await this.send('POST', '/groups', { id: 'sales', members: ['ann'] });
    // Creating an existing app returns 409.
    if (path.startsWith('/apps')) await this.send('POST', '/cloud/generate_uri', { name: 'acme' });
    if (path.startsWith('/people/{')) {
      await this.send('POST', '/keys', { name: 'Ann', end_user_id: 'ann', scopes: ['read'] });
    }
    const id = await this.documentFor(path);
    await this.before(operation, id);
    return {
      document_id: id,
      page_number: '1',
      message_index: '1',
      group_id: 'sales',
      member_id: 'ann',
      id: path.startsWith('/keys/{id}') ? await this.newKey() : '',
      code: ['/keys/sign_in', '/keys/invitation', '/session'].includes(path) ? await this.signInCode() : '',
      person_id: 'ann',
      answer_id: path.startsWith('/answers/{') ? await this.answer() : '',
      link_id: path.startsWith('/shared_chats/') ? await this.sharedChat() : '',
      ...(path.startsWith('/webhooks/{') ? await this.webhook() : {}),
      ...(path.startsWith('/v1/') ? await this.forOpenAi(path) : {}),
      chat_id: CHAT,
      token: path === '/files' ? await this.token(id) : '',
      password_token: this.service.adminKey,
    };
  }

  /** Creates a document for each operation, since some delete it. */
  private async documentFor(path: string): Promise<string> {
    const isPaged = path === '/documents/pages' || path.startsWith('/documents/{document_id}/pages/');
    if (isPaged || !/document|batch|files$/.test(path)) return this.paged.external_id;
    return (await this.documents.ingestText('The warranty is two years.')).external_id;
  }

  private async before(operation: string, id: string): Promise<void> {
    const summary = { content: 'What it is about.' };
    if (operation === 'GET /documents/{document_id}/summary') {
      await this.done('PUT', `/documents/${id}/summary`, summary);
    }
    if (operation === 'GET /folders/{folder}/summary') {
      await this.done('PUT', '/folders/manuals/summary', summary);
    }
    if (operation === 'DELETE /folders/{folder}/documents/{document_id}') {
      await this.done('POST', `/folders/manuals/documents/${id}`);
    }
  }

  private async answer(): Promise<string> {
    const id = randomUUID();
    const query = 'When does the last boat leave?';
    await this.done('POST', '/query', { query, answer_id: id, stream_response: true });
    return id;
  }

  private async sharedChat(): Promise<string> {
    await this.done('POST', '/query', { query: 'When does the last boat leave?', chat_id: CHAT });
    const answer = await this.done('POST', `/chats/${CHAT}/link`);
    return (answer.json() as { link_id: string }).link_id;
  }

  private async webhook(): Promise<Readonly<Record<string, string>>> {
    const webhook = idOf(await this.done('POST', '/webhooks', { url: `${HOOKS}/hooks` }));
    const delivery = idOf(await this.done('POST', `/webhooks/${webhook}/test`));
    return { webhook_id: webhook, delivery_id: delivery };
  }

  private async newKey(): Promise<string> {
    const answer = await this.done('POST', '/keys', { name: 'short-lived', scopes: ['read'] });
    return (answer.json() as { id: string }).id;
  }

  private async signInCode(): Promise<string> {
    const answer = await this.done('POST', `/keys/${await this.newKey()}/sign_in_link`);
    return (answer.json() as { url: string }).url.replace(/.*\//, '');
  }

  /** Creates a file in a vector store, and a batch and a response if the path names one. */
  private async forOpenAi(path: string): Promise<Readonly<Record<string, string>>> {
    if (path.includes('{conversation_id}')) return this.conversation();
    if (!/file|vector_store|responses/.test(path)) return {};
    const form = new FormData();
    form.append('file', new Blob(['The keeper is relieved every Tuesday.']), 'keeper.txt');
    form.append('purpose', 'assistants');
    const upload = await this.service.client.call('POST', '/v1/files', { body: form });
    const file = idOf(upload);
    const store = idOf(await this.done('POST', '/v1/vector_stores', { name: 'Keepers' }));
    await this.done('POST', `/v1/vector_stores/${store}/files`, { file_id: file });
    await this.attached(store, file);
    const ids = { file_id: file, vector_store_id: store };
    if (path.includes('{batch_id}')) {
      const batch = await this.done('POST', `/v1/vector_stores/${store}/file_batches`, { file_ids: [file] });
      return { ...ids, batch_id: idOf(batch) };
    }
    if (!path.includes('{response_id}')) return ids;
    const tools = [{ type: 'file_search', vector_store_ids: [store] }];
    const response = await this.done('POST', '/v1/responses', {
      model: 'lectern',
      input: 'When is the keeper relieved?',
      tools,
    });
    return { ...ids, response_id: idOf(response) };
  }

  private async conversation(): Promise<Readonly<Record<string, string>>> {
    const conversation = idOf(
      await this.done('POST', '/v1/conversations', {
        items: [{ type: 'message', role: 'user', content: 'When is the keeper relieved?' }],
      }),
    );
    const items = await this.done('GET', `/v1/conversations/${conversation}/items`);
    const [item] = (items.json() as { data: { id: string }[] }).data;
    return { conversation_id: conversation, item_id: item?.id ?? '' };
  }

  private async attached(store: string, file: string): Promise<void> {
    for (let status = 'in_progress'; status === 'in_progress';) {
      const answer = await this.service.client.call('GET', `/v1/vector_stores/${store}/files/${file}`, {
        headers: { 'X-Stainless-Poll-Helper': 'true' },
      });
      ({ status } = answer.json() as { status: string });
    }
  }

  private async token(id: string): Promise<string> {
    const answer = await this.done('GET', `/documents/${id}/download_url`);
    const { download_url: url } = answer.json() as { download_url: string };
    return new URL(url).searchParams.get('token') ?? '';
  }

  send(method: string, path: string, body?: object): Promise<Answer> {
    return this.service.client.call(method, path, { headers: OF_THE_PAGE, body });
  }

  async done(method: string, path: string, body?: object): Promise<Answer> {
    const answer = await this.send(method, path, body);
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.text}`);
    return answer;
  }
}

describe('the examples of the API', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.make();
  });
  afterAll(() => world.service.stop());

  // These need a language model, which a new installation lacks.
  const withModel = ['A rule', 'A structured answer', 'An answer of the model'];
  const bodies = OPERATIONS.flatMap(([named, operation]) =>
    examplesOf(operation)
      .filter(([summary]) => !withModel.includes(summary))
      .map(([summary, body]) => [named, summary, body] as const),
  );

  it.each(bodies)('%s, example "%s", succeeds unchanged', async (named, _summary, body) => {
    const filled = await world.ready(named);
    const [method = '', path = ''] = named.split(' ');
    const target = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => filled[name] ?? 'manuals');
    const answer = await world.send(
      method,
      target,
      JSON.parse(withValues(JSON.stringify(body), filled)) as object,
    );
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    if (/^\/(retrieve|batch|search)/.test(path)) expect(answer.json()).not.toEqual([]);
    if (path.startsWith('/documents')) expect(answer.text).not.toContain('"documents":[]');
    if (path === '/query') expect((answer.json() as { sources: unknown[] }).sources).not.toEqual([]);
  });
});

inBrowser('the forms of Swagger UI', () => {
  let world: World;
  let browser: Browser;
  let page: SwaggerPage;
  beforeAll(async () => {
    world = await World.make();
    browser = await launchChromium();
    page = await SwaggerPage.open(await browser.newPage(), world.service.url, world.service.adminKey);
    const { length } = ALL_OPERATIONS;
    await until('every operation is shown', async () => (await page.operations()).length >= length);
  });
  afterAll(async () => {
    await browser.close();
    await world.service.stop();
  });

  it('are listed in reading order, under tags with a description', async () => {
    expect(await page.tags()).toEqual(TAGS);
    expect(openApi.tags.map(({ name }) => name)).toEqual(TAGS);
    for (const { description } of openApi.tags) expect(description).toMatch(/^[A-Z].{20,}\.$/);
    expect([...(await page.operations())].sort()).toEqual(ALL_OPERATIONS.map(([named]) => named).sort());
  });

  it('are introduced by the location of the key and a first document to ingest', async () => {
    const introduction = await page.introduction();
    for (const part of ['cat data/api-key', 'Authorize', 'lectern ingest FOLDER']) {
      expect(introduction).toContain(part);
    }
  });

  /** Expected content of some responses. */
  const shows: Readonly<Record<string, RegExp>> = {
    'POST /query': /17:30|18:15|19:/,
    'POST /retrieve/chunks': /E07/,
    'POST /retrieve/chunks/grouped': /E07/,
    'POST /retrieve/docs': /E07/,
    'POST /documents': /"total_count": [1-9]/,
    'POST /documents/list_docs': /"total_count": [1-9]/,
    'POST /search/documents': /greenhouse-controller-manual\.md/,
    'POST /ingest/file': /"filename": "observatory-annual-report-2025\.pdf"/,
    'POST /ingest/files': /"errors": \[\]/,
  };

  it.each(FORMS)('%s prefills required fields only, and succeeds', async (named, operation) => {
    const filled = await world.ready(named);
    const form = await page.tryOut(named);
    const parameters = new Map((operation.parameters ?? []).map((one) => [one.name, one]));
    for (const [name, value] of await form.inputs()) {
      const parameter = parameters.get(name);
      const usual = parameter?.schema.default;
      if (name === 'file' || name === 'files') await form.attach(name, REPORT);
      else if (parameter?.required === true || name === 'password_token') {
        const wanted = filled[name] ?? '';
        if (value === '' || wanted !== '') await form.fill(name, wanted);
      } else {
        expect([named, name, value]).toEqual([named, name, kept(named, name) ?? String(usual ?? '')]);
      }
    }
    const body = await form.body();
    if (body !== null && withValues(body, filled) !== body) await form.writeBody(withValues(body, filled));
    const answer: Shown = await form.execute();
    expect([answer.status, answer.text]).toEqual([200, expect.stringMatching(shows[named] ?? /\S/)]);
  });
});

/** Replaces the placeholders of a body. */
function withValues(body: string, filled: Readonly<Record<string, string>>): string {
  return Object.entries(PLACEHOLDERS).reduce(
    (text, [placeholder, name]) => text.replaceAll(placeholder, filled[name] ?? placeholder),
    body,
  );
}

/** Returns the prefilled value to keep: the usual one of alternative fields, and the default of a choice. */
function kept(operation: string, name: string): string | undefined {
  if (name === 'app_name' && operation.includes('/apps/')) return 'acme';
  if (operation === 'POST /v1/files' && name === 'purpose') return 'assistants';
  return name === 'update_strategy' ? 'add' : undefined;
}
