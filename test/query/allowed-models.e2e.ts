import type { Answer, Client } from '../support/client.js';
import { CompletionService } from '../support/completion-service.js';

interface Wish {
  readonly model?: string;
  readonly maxTokens?: number;
  readonly config?: object;
}

const OWN = 'hosted_vllm/plain';
const ALLOWED = 'hosted_vllm/allowed';
const FORBIDDEN = 'hosted_vllm/expensive';

type Door = (client: Client, wish: Wish) => Promise<Answer>;

const query: Door = (client, { model, maxTokens, config = {} }) =>
  client.post('/query', {
    query: 'When?',
    ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
    llm_config: { ...config, ...(model === undefined ? {} : { model }) },
  });
const chat: Door = (client, { model, maxTokens, config = {} }) =>
  client.post('/v1/chat/completions', {
    model: 'lectern',
    messages: [{ role: 'user', content: 'When?' }],
    ...(maxTokens === undefined ? {} : { max_completion_tokens: maxTokens }),
    llm_config: { ...config, ...(model === undefined ? {} : { model }) },
  });
const response: Door = (client, { model, maxTokens, config = {} }) =>
  client.post('/v1/responses', {
    model: 'lectern',
    input: 'When?',
    ...(maxTokens === undefined ? {} : { max_output_tokens: maxTokens }),
    llm_config: { ...config, ...(model === undefined ? {} : { model }) },
  });
const mcp: Door = (client, { model, maxTokens, config = {} }) =>
  client.post(
    '/mcp',
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'ask',
        arguments: {
          query: 'When?',
          ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
          llm_config: { ...config, ...(model === undefined ? {} : { model }) },
        },
      },
    },
    { headers: { accept: 'application/json, text/event-stream' } },
  );

/** Doors with the names of the model and of the largest answer in their errors, and whether they take tokens. */
const DOORS: readonly (readonly [string, Door, string, string, boolean])[] = [
  ['POST /query', query, 'llm_config.model', 'max_tokens', true],
  ['POST /v1/chat/completions', chat, 'llm_config.model', 'max_completion_tokens', true],
  ['POST /v1/responses', response, 'llm_config.model', 'max_output_tokens', false], // a token needs a file search
  ['the tool ask of MCP', mcp, 'llm_config.model', 'max_tokens', true],
];

describe.each(DOORS)('%s', (_name, door, modelName, limitName, takesTokens) => {
  let completion: CompletionService;
  const callers: { name: string; client: Client }[] = [];
  let writer: Client;
  let own: Client;

  beforeAll(async () => {
    completion = await CompletionService.start({
      LLM_ALLOWED_MODELS: ALLOWED,
      LLM_MAX_ANSWER_TOKENS: '50',
    });
    const keyOf = async (scopes: string[], more: object = {}): Promise<{ id: string; key: string }> => {
      const answer = await completion.service.client.post('/keys', { name: 'k', scopes, ...more });
      return answer.json() as { id: string; key: string };
    };
    const asker = await keyOf(['read', 'query']);
    callers.push({ name: 'a key without write', client: completion.service.as(asker.key) });
    const full = await keyOf(['read', 'query', 'write']);
    writer = completion.service.as(full.key);
    if (takesTokens) {
      const { token } = (await writer.post(`/keys/${full.id}/token`, { models: [ALLOWED] })).json() as {
        token: string;
      };
      callers.push({ name: 'a browser token', client: completion.service.as(token) });
    }
    const limits = { models: ['hosted_vllm/special'], max_answer_tokens: 20 };
    own = completion.service.as((await keyOf(['read', 'query', 'write'], limits)).key);
  });
  beforeEach(() => {
    completion.provider.forget();
  });
  afterAll(() => completion.stop());

  const expectRefused = (answer: Answer, member: string): void => {
    expect(answer.text).toContain(member.split('.').at(-1));
    expect(answer.text).toMatch(
      /this (?:key|token) (may not use this model|may not set this|gets answers of at most)/,
    );
    expect(completion.provider.completions).toEqual([]);
    const { detail, error } = answer.json() as {
      detail?: readonly { loc: readonly string[] }[];
      error?: { param?: string };
    };
    if (detail !== undefined) expect(detail[0]?.loc.slice(1).join('.')).toBe(member);
    if (error?.param !== undefined) expect(error.param).toBe(member);
  };

  it('gives keys without write and browser tokens the configured and the allowed models', async () => {
    for (const { client } of callers) {
      for (const model of [OWN, ALLOWED]) {
        expect((await door(client, { model })).status).toBe(200);
        expect(completion.provider.last.body.model).toBe(model.split('/')[1]);
      }
      completion.provider.forget();
      expectRefused(await door(client, { model: FORBIDDEN }), modelName);
    }
    expect((await door(writer, { model: FORBIDDEN })).status).toBe(200);
    expect(completion.provider.last.body.model).toBe('expensive');
  });

  it('gives them the largest answer that the operator allows', async () => {
    for (const { client } of callers) {
      expect((await door(client, {})).status).toBe(200);
      expect(
        completion.provider.last.body['max_tokens'] ?? completion.provider.last.body['max_completion_tokens'],
      ).toBe(50);
      completion.provider.forget();
      expectRefused(await door(client, { maxTokens: 51 }), limitName);
      expectRefused(await door(client, { config: { max_tokens: 51 } }), 'llm_config.max_tokens');
    }
    expect((await door(writer, { maxTokens: 51 })).status).toBe(200);
  });

  it('refuses them by name what changes the costs', async () => {
    for (const { client } of callers) {
      for (const [member, value] of Object.entries({ num_retries: 10, context_window: 100_000 })) {
        expectRefused(await door(client, { config: { [member]: value } }), `llm_config.${member}`);
      }
    }
  });

  it('lets those who bring a key of their own choose, but no tokens', async () => {
    for (const { name, client } of callers) {
      const config = { api_key: 'sk-of-the-caller', model: FORBIDDEN, max_tokens: 51 };
      if (name === 'a browser token') {
        const refused = await door(client, { config });
        expect(refused.text).toContain('api_key');
        expect(completion.provider.completions).toEqual([]);
        continue;
      }
      expect((await door(client, { config })).status).toBe(200);
      expect(completion.provider.last.headers.authorization).toBe('Bearer sk-of-the-caller');
    }
  });

  it('counts what a key itself allows first', async () => {
    expect((await door(own, { model: 'hosted_vllm/special' })).status).toBe(200);
    completion.provider.forget();
    expectRefused(await door(own, { model: ALLOWED }), modelName);
    expectRefused(await door(own, { maxTokens: 21 }), limitName);
  });
});
