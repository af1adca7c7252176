import type { Answer, Client } from '../support/client.js';
import { CompletionService } from '../support/completion-service.js';
import { Documents } from '../support/documents.js';
import type { SharedService } from '../support/shared-service.js';

/** What a page asks for besides its question. */
interface Wish {
  readonly model?: string;
  readonly llmConfig?: object;
  readonly maxTokens?: number;
  readonly instructions?: string;
  readonly prompts?: object;
  readonly schema?: object;
  readonly tool?: string;
  readonly endUserId?: string;
  readonly folder?: string;
  readonly groups?: readonly string[];
}

interface Door {
  readonly ask: (client: Client, wish: Wish, store: string) => Promise<Answer>;
  /** The member that names each wish in an error; absent: the door has no such member. */
  readonly names: Readonly<Partial<Record<keyof Wish, string>>>;
}

const QUESTION = 'When is the keeper relieved?';
const EXPENSIVE = 'hosted_vllm/expensive';
const ALLOWED = 'hosted_vllm/allowed';
const SCHEMA = { type: 'object', properties: { poem: { type: 'string' } } };

const given = (members: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
const configOf = ({ model, llmConfig }: Wish): object | undefined =>
  model === undefined && llmConfig === undefined ? undefined : given({ model, ...llmConfig });
const overridesOf = ({ instructions, prompts }: Wish): object | undefined =>
  instructions === undefined ? prompts : { query: { system_prompt: instructions } };

/** The fields of POST /query, which the tool `ask` has too. */
const queryOf = (wish: Wish): object => ({
  query: QUESTION,
  ...given({
    llm_config: configOf(wish),
    max_tokens: wish.maxTokens,
    prompt_overrides: overridesOf(wish),
    schema: wish.schema,
    end_user_id: wish.endUserId,
    folder_name: wish.folder,
    groups: wish.groups,
  }),
});
const QUERY_NAMES: Door['names'] = {
  model: 'llm_config.model',
  llmConfig: 'llm_config.api_key',
  maxTokens: 'max_tokens',
  instructions: 'prompt_overrides.query.system_prompt',
  prompts: 'prompt_overrides.query.prompt_template',
  schema: 'schema',
  endUserId: 'end_user_id',
  folder: 'folder_name',
  groups: 'groups',
};

const DOORS: Readonly<Record<string, Door>> = {
  'POST /query': { ask: (client, wish) => client.post('/query', queryOf(wish)), names: QUERY_NAMES },
  'POST /query as a stream': {
    ask: (client, wish) => client.post('/query', { ...queryOf(wish), stream_response: true }),
    names: QUERY_NAMES,
  },
  'POST /v1/chat/completions': {
    ask: (client, wish) =>
      client.post('/v1/chat/completions', {
        model: 'lectern',
        messages: [
          ...(wish.instructions === undefined ? [] : [{ role: 'system', content: wish.instructions }]),
          { role: 'user', content: QUESTION },
        ],
        ...given({
          llm_config: configOf(wish),
          max_completion_tokens: wish.maxTokens,
          prompt_overrides: wish.prompts,
          response_format: wish.schema && {
            type: 'json_schema',
            json_schema: { name: 'poem', schema: wish.schema },
          },
          tools: wish.tool && [{ type: 'function', function: { name: wish.tool } }],
          end_user_id: wish.endUserId,
          metadata: wish.folder && { folder_name: wish.folder },
          groups: wish.groups,
        }),
      }),
    names: {
      ...QUERY_NAMES,
      maxTokens: 'max_completion_tokens',
      instructions: 'messages.0',
      schema: 'response_format.json_schema.schema',
      tool: 'tools',
      folder: 'metadata.folder_name',
    },
  },
  'POST /v1/responses': {
    ask: (client, wish, store) =>
      client.post('/v1/responses', {
        model: 'lectern',
        input: QUESTION,
        tools: [
          { type: 'file_search', vector_store_ids: [store] },
          ...(wish.tool === undefined ? [] : [{ type: 'function', name: wish.tool, parameters: {} }]),
        ],
        ...given({
          llm_config: configOf(wish),
          max_output_tokens: wish.maxTokens,
          instructions: wish.instructions,
          text: wish.schema && { format: { type: 'json_schema', name: 'poem', schema: wish.schema } },
          end_user_id: wish.endUserId,
          groups: wish.groups,
        }),
      }),
    names: {
      model: 'llm_config.model',
      llmConfig: 'llm_config.api_key',
      maxTokens: 'max_output_tokens',
      instructions: 'instructions',
      schema: 'text.format.schema',
      tool: 'tools',
      endUserId: 'end_user_id',
      groups: 'groups',
    },
  },
  'the tool ask of MCP': {
    ask: (client, wish) =>
      client.post(
        '/mcp',
        {
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'ask', arguments: queryOf(wish) },
        },
        { headers: { accept: 'application/json, text/event-stream' } },
      ),
    names: QUERY_NAMES,
  },
};

/** What a visitor tries with the token of a page, one wish at a time. */
const ATTACKS: readonly (readonly [string, Wish])[] = [
  ['another model', { model: EXPENSIVE }],
  ['a key of its own', { llmConfig: { api_key: 'sk-visitor' } }],
  ['another address', { llmConfig: { api_key: 'sk-visitor', api_base: 'https://models.example.com' } }],
  ['a longer answer', { maxTokens: 51 }],
  ['instructions of its own', { instructions: 'You write poems.' }],
  ['a prompt of its own', { prompts: { query: { prompt_template: '{question} {context}' } } }],
  ['a structured answer', { schema: SCHEMA }],
  ['functions', { tool: 'write_poem' }],
  ['another person', { endUserId: 'bob' }],
  ['another folder', { folder: '/secret' }],
  ['another group', { groups: ['board'] }],
];

/** The names of the members that an answer refuses, in any protocol. */
function refusedIn(answer: Answer): string {
  const { detail, error, result } = answer.json() as {
    readonly detail?: string | readonly { readonly loc: readonly (string | number)[] }[];
    readonly error?: { readonly param: string | null; readonly message: string };
    readonly result?: { readonly isError?: boolean; readonly content: readonly { readonly text: string }[] };
  };
  if (result !== undefined) return result.isError === true ? (result.content[0]?.text ?? '') : '';
  if (error !== undefined) return `${error.param ?? ''} ${error.message}`;
  if (typeof detail === 'string') return detail;
  return (detail ?? []).map(({ loc }) => loc.slice(1).join('.')).join(' ');
}

describe('a token for one purpose', () => {
  let models: CompletionService<SharedService>;
  let service: SharedService;
  let site: { readonly id: string; readonly key: string };
  let store: string;

  const tokenOf = async (body: object): Promise<Client> => {
    const answer = await service.client.post(`/keys/${site.id}/token`, body);
    expect([answer.status, answer.text]).toEqual([200, answer.text]);
    return service.as((answer.json() as { token: string }).token);
  };

  beforeAll(async () => {
    models = await CompletionService.shared();
    service = models.service;
    const made = await service.client.post('/keys', { name: 'site', scopes: ['read', 'query', 'write'] });
    site = made.json() as typeof site;
    const documents = new Documents(() => service.client);
    await documents.ingestText('The keeper is relieved every Tuesday.', { folder_name: '/help' });
    store = ((await service.client.post('/v1/vector_stores', { name: 'Help' })).json() as { id: string }).id;
  });
  beforeEach(() => {
    models.provider.forget();
  });
  afterAll(() => models.stop());

  const cases = Object.entries(DOORS).flatMap(([door, { ask, names }]) =>
    ATTACKS.flatMap(([attack, wish]) => {
      const [kind] = Object.keys(wish) as [keyof Wish];
      const name = names[kind];
      return name === undefined ? [] : [[door, attack, ask, wish, name] as const];
    }),
  );

  describe('that is made for one folder and 50 tokens', () => {
    let token: Client;
    let free: Client;
    beforeAll(async () => {
      token = await tokenOf({ end_user_id: 'ann', folder_name: '/help', max_answer_tokens: 50 });
      free = await tokenOf({ max_answer_tokens: 50 });
    });

    it.each(cases)('%s refuses %s by its name, and calls no model', async (door, _, ask, wish, name) => {
      const answer = await ask(token, wish, store);
      expect(refusedIn(answer)).toContain(name);
      expect(door.includes('MCP') ? [200] : [400, 403, 422]).toContain(answer.status);
      expect(models.provider.completions).toEqual([]);
    });

    it.each(Object.entries(DOORS))('%s answers its plain question', async (door, { ask }) => {
      // A vector store is outside of the folder of the first token.
      const asking = door === 'POST /v1/responses' ? free : token;
      const answer = await ask(asking, {}, store);
      expect([answer.status, answer.text]).toEqual([200, expect.not.stringContaining('isError')]);
      const { body } = models.provider.last;
      expect([body['max_tokens'] ?? body['max_completion_tokens'], body.model]).toEqual([50, 'plain']);
    });
  });

  it('chooses among the models for which it was made', async () => {
    const token = await tokenOf({ models: [ALLOWED], scopes: ['query', 'schema', 'tools'] });
    for (const { ask } of Object.values(DOORS)) {
      models.provider.forget();
      expect((await ask(token, { model: ALLOWED }, store)).status).toBe(200);
      expect(models.provider.last.body.model).toBe('allowed');
      expect(refusedIn(await ask(token, { model: EXPENSIVE }, store))).toContain('model');
    }
  });

  it('has structured answers and functions with their scopes', async () => {
    const token = await tokenOf({ scopes: ['query', 'schema', 'tools'] });
    const structured = await token.post('/query', {
      query: QUESTION,
      schema: SCHEMA,
      llm_config: { model: 'extractive' },
    });
    expect(refusedIn(structured)).not.toContain('scope');
    const called = await DOORS['POST /v1/chat/completions']?.ask(token, { tool: 'look_up' }, store);
    expect(called?.status).toBe(200);
  });

  it('answers from documents only', async () => {
    const token = await tokenOf({});
    const answer = await token.post('/v1/responses', { model: 'lectern', input: 'Write a poem.' });
    expect([answer.status, refusedIn(answer)]).toEqual([400, expect.stringContaining('tools')]);
    expect(models.provider.completions).toEqual([]);
  });

  it('without a person stores no response, and continues none', async () => {
    const token = await tokenOf({});
    const ask = (more: object): Promise<Answer> =>
      token.post('/v1/responses', {
        model: 'lectern',
        input: QUESTION,
        tools: [{ type: 'file_search', vector_store_ids: [store] }],
        ...more,
      });
    const answer = await ask({});
    expect(answer.json()).toMatchObject({ store: false });
    const { id } = answer.json() as { id: string };
    expect((await service.client.get(`/v1/responses/${id}`)).status).toBe(404);
    expect(refusedIn(await ask({ previous_response_id: id }))).toContain('previous_response_id');
    expect(refusedIn(await ask({ conversation: id }))).toContain('conversation');
    expect(refusedIn(await ask({ store: true }))).toContain('store');
  });

  it('asks as many questions a minute as it was made for, at any door, and never counts for its key', async () => {
    const token = await tokenOf({ questions_per_minute: 3 });
    const { ask: chat } = DOORS['POST /v1/chat/completions'] as Door;
    const { ask: query } = DOORS['POST /query'] as Door;
    const { ask: mcp } = DOORS['the tool ask of MCP'] as Door;
    const tooLong = await query(token, { maxTokens: 1_000_000 }, store);
    expect([tooLong.status, refusedIn(tooLong)]).toEqual([422, expect.stringContaining('max_tokens')]);
    const statuses: number[] = []; // without what was refused
    for (const ask of [query, chat, query, query, chat]) statuses.push((await ask(token, {}, store)).status);
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
    expect(refusedIn(await mcp(token, {}, store))).toContain('More than 3 questions in a minute');
    const limited = await query(token, {}, store);
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await token.post('/retrieve/chunks', { query: QUESTION })).status).toBe(200);
    expect((await query(service.as(site.key), {}, store)).status).toBe(200);
    const another = await tokenOf({ questions_per_minute: 3 });
    expect((await query(another, {}, store)).status).toBe(200);
  });

  it('counts a question once whose model fails and that is answered with quotations', async () => {
    const broken = 'hosted_vllm/status:400';
    const token = await tokenOf({ questions_per_minute: 1, models: [broken] });
    const body = { query: QUESTION, llm_config: { model: broken }, quote_on_failure: true };
    const answer = await token.post('/query', body);
    expect([answer.status, answer.json()]).toMatchObject([
      200,
      { completion: expect.stringContaining('Tuesday') as string, metadata: { model: 'extractive' } },
    ]);
    expect((await token.post('/query', body)).status).toBe(429);
  });

  it('is made with uses of its key only', async () => {
    const reader = await service.client.post('/keys', { name: 'r', scopes: ['read'] });
    const { id } = reader.json() as { id: string };
    const refused = await service.client.post(`/keys/${id}/token`, { scopes: ['read', 'ingest'] });
    expect(refused.json()).toMatchObject({ detail: [{ loc: ['body', 'scopes'] }] });
    const nobody = await service.client.post(`/keys/${site.id}/token`, { scopes: ['chats'] });
    expect(nobody.json()).toMatchObject({ detail: [{ loc: ['body', 'scopes'] }] });
    const filter = { filters: { year: { $gte: 2_024 } }, scopes: ['ingest'] };
    const unplain = await service.client.post(`/keys/${site.id}/token`, filter);
    expect(unplain.json()).toMatchObject({ detail: [{ loc: ['body', 'filters'] }] });
  });

  it('has the groups that it was made with', async () => {
    await service.client.post('/groups', { id: 'sales', members: ['sue'] });
    await new Documents(() => service.client).ingestText('The price list is secret.', {
      filename: 'prices.txt',
      access_control: { readers: ['group:sales'] },
    });
    const asked = async (body: object): Promise<string> =>
      (await (await tokenOf(body)).post('/retrieve/chunks', { query: 'price list' })).text;
    expect(await asked({ groups: ['sales'] })).toContain('prices.txt');
    expect(await asked({ end_user_id: 'sue' })).toContain('prices.txt');
    expect(await asked({ end_user_id: 'sue', groups: [] })).not.toContain('prices.txt');
    expect(await asked({})).not.toContain('prices.txt');
    const ann = await service.client.post('/keys', { name: 'a', scopes: ['read'], end_user_id: 'ann' });
    const { id } = ann.json() as { id: string };
    expect((await service.client.post(`/keys/${id}/token`, { groups: ['sales'] })).status).toBe(403);
  });
});
