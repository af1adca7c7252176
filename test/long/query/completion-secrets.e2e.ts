import OpenAI from 'openai';
import { CompletionService, SERVER_KEY } from '../../support/completion-service.js';
import { Documents } from '../../support/documents.js';
import { FakeProvider } from '../../support/fake-provider/fake-provider.js';
import { everyRow, filesWith } from '../../support/stored-text.js';

const CANARY = 'sk-canary-7f3a9b1c5d2e8046';
const QUERY = 'How many kilograms does the blue device weigh?';
const SCHEMA = { type: 'object', required: ['weight'], properties: { weight: { type: 'integer' } } };

describe('keys and addresses of model providers', () => {
  let home: CompletionService;
  /** An address that requests may use. */
  let elsewhere: FakeProvider;
  /** An address that no request may use. */
  let hidden: FakeProvider;
  beforeAll(async () => {
    [elsewhere, hidden] = await Promise.all([FakeProvider.start(), FakeProvider.start()]);
    home = await CompletionService.start({
      LLM_ALLOWED_BASES: `${elsewhere.url},public`,
      LOG_LEVEL: 'trace',
    });
    await new Documents(() => home.service.client).ingestText('The blue device weighs two kilograms.');
  });
  afterAll(async () => {
    await Promise.all([home.stop(), elsewhere.close(), hidden.close()]);
  });
  beforeEach(() => {
    home.provider.forget();
    elsewhere.forget();
  });

  const ask = async (config: object, more: object = {}): Promise<{ status: number; text: string }> => {
    const { status, text } = await home.service.client.post('/query', {
      query: QUERY,
      llm_config: { num_retries: 0, ...config },
      ...more,
    });
    return { status, text };
  };

  describe('a key in a request', () => {
    const own = (model: string): object => ({ model, api_key: CANARY, api_base: elsewhere.url });

    it('reaches its provider only: no response, log, file or row contains it', async () => {
      const answers: string[] = [];
      const note = async (config: object, more: object, status: number): Promise<void> => {
        const answer = await ask(config, more);
        answers.push(answer.text);
        expect([config, answer.status]).toEqual([config, status]);
      };
      await note(own('plain'), { chat_id: 'kept' }, 200);
      await note(own('plain'), { chat_id: 'kept', stream_response: true }, 200);
      await note(own('obeys'), { schema: SCHEMA }, 200);
      const entities = { entity_extraction: {} };
      await note(own('obeys'), { prompt_overrides: entities }, 200);
      await note(own('status:401|repeats-key'), { prompt_overrides: entities }, 502);
      await note({ ...own('plain'), extra_headers: { 'X-Title': CANARY } }, {}, 200);
      for (const status of [400, 401, 403, 404, 422, 429, 500]) {
        const answered = status === 429 ? 429 : 502;
        await note(own(`status:${status}|repeats-key`), {}, answered);
        await note(own(`status:${status}|repeats-key`), { stream_response: true }, answered);
        await note(own(`status:${status}|repeats-key`), { schema: SCHEMA }, answered);
      }
      for (const behaviour of ['garbage', 'html', 'dies', 'breaks']) await note(own(behaviour), {}, 502);
      await note({ ...own('hangs'), timeout: 0.2 }, {}, 504);
      await note({ model: 'hosted_vllm/plain', api_key: CANARY }, {}, 200);
      await note({ ...own('plain'), api_base: 'http://127.0.0.1:1' }, {}, 422);
      await note({ model: 'azure/x', api_key: CANARY }, {}, 422);
      await note({ ...own('plain'), api_key: `${CANARY}\n` }, {}, 422);
      await note({ ...own('plain'), api_key: [CANARY] }, {}, 422);
      await note({ ...own('plain'), temperature: CANARY }, {}, 422);
      await note({ ...own('plain'), extra_headers: { authorization: CANARY } }, {}, 422);
      const { client, url } = home.service;
      answers.push(
        (await client.post('/query', `{"query": "a", "llm_config": {"api_key": "${CANARY}" "`)).text,
      );
      answers.push((await client.post('/query', { query: QUERY, llm_config: CANARY })).text);
      const door = new OpenAI({ apiKey: home.service.adminKey, baseURL: `${url}/v1`, maxRetries: 0 });
      await expect(
        door.chat.completions.create({
          model: 'lectern',
          messages: [{ role: 'user', content: QUERY }],
          llm_config: own('status:401|repeats-key'),
        } as never),
      ).rejects.toThrow(/refused the key/);

      for (const path of [
        '/openapi.json',
        '/metrics',
        '/models',
        '/v1/models',
        '/health',
        '/chats',
        '/chat/kept',
      ]) {
        answers.push((await client.get(path)).text);
      }
      expect(answers.filter((text) => text.includes(CANARY))).toEqual([]);
      expect(
        elsewhere.calls.filter(({ headers }) => headers.authorization === `Bearer ${CANARY}`).length,
      ).toBeGreaterThan(30);

      const { output } = await home.service.terminate();
      expect(output).toContain('refused the key');
      expect(output).not.toContain(CANARY);
      const rows = await everyRow(home.service);
      expect(rows).toContain(QUERY);
      expect(rows).not.toContain(CANARY);
      expect(await filesWith(CANARY, home.service.dataDir)).toEqual([]);
      await home.service.restart();
    });
  });

  describe("the service's own key", () => {
    it('is sent to its own address', async () => {
      expect((await ask({ model: 'plain' })).status).toBe(200);
      expect(home.provider.last.headers.authorization).toBe(`Bearer ${SERVER_KEY}`);
    });

    it.each(['plain', 'hosted_vllm/plain', 'ollama/plain', 'lm_studio/plain', 'litellm_proxy/plain'])(
      'is not sent to another address with %s, with a key of the request or without one',
      async (model) => {
        expect((await ask({ model, api_base: elsewhere.url })).status).toBe(200);
        expect(elsewhere.last.headers.authorization).toBeUndefined();
        expect((await ask({ model, api_base: elsewhere.url, api_key: 'sk-other' })).status).toBe(200);
        expect(elsewhere.last.headers.authorization).toBe('Bearer sk-other');
        expect((await ask({ model, base_url: `${elsewhere.url}/` })).status).toBe(200);
        for (const { headers, raw } of elsewhere.calls) {
          expect(JSON.stringify(headers) + raw).not.toContain(SERVER_KEY);
        }
        expect(home.provider.completions).toEqual([]);
      },
    );

    it.each([
      [{ model: 'groq/llama-3' }, 'api_key'],
      [{ model: 'openai/gpt-4o' }, 'api_key'],
      [{ model: 'azure/x', api_base: 'https://x.openai.azure.com' }, 'api_key'],
      [{ model: 'ollama/llama3' }, 'api_base'],
      [{ model: 'lm_studio/x' }, 'api_base'],
    ])('is not sent for %j', async (config, member) => {
      const { status, text } = await ask(config);
      expect([status, (JSON.parse(text) as { detail: unknown }).detail]).toMatchObject([
        422,
        [{ loc: ['body', 'llm_config', member] }],
      ]);
    });

    it('is not sent to a redirect target, nor is a key in the request', async () => {
      const target = `redirects:${elsewhere.url}/chat/completions`;
      expect((await ask({ model: target })).status).toBe(502);
      expect(elsewhere.calls).toEqual([]);
      const back = { model: `redirects:${home.provider.url}/chat/completions`, api_key: 'sk-other' };
      home.provider.forget();
      expect((await ask({ ...back, api_base: elsewhere.url })).status).toBe(502);
      expect(home.provider.calls).toEqual([]);
    });
  });

  describe('a private address', () => {
    const hosts = [
      ...['127.0.0.1', '127.1', '127.255.255.254', '2130706433', '0x7f000001', '0x7f.0x0.0x0.0x1'],
      ...['0177.0.0.1', '017700000001', '00000177.1', '①②⑦.⓪.⓪.①', '127.0.0.1.', '0', '0.0.0.0', '000.0.0.0'],
      ...[
        '[::1]',
        '[::]',
        '[::ffff:127.0.0.1]',
        '[::ffff:7f00:1]',
        '[::127.0.0.1]',
        '[0:0:0:0:0:ffff:7f00:0001]',
      ],
      ...[
        '[64:ff9b::7f00:1]',
        '[64:ff9b::127.0.0.1]',
        '[64:ff9b:1::7f00:1]',
        '[2002:7f00:1::]',
        '[2001:0:7f00:1::]',
      ],
      ...[
        '10.0.0.1',
        '172.16.0.1',
        '172.31.255.255',
        '192.168.1.1',
        '0xc0a80101',
        '3232235777',
        '100.64.0.1',
      ],
      ...['169.254.169.254', '[fd00:ec2::254]', '[fe80::1]', '[fec0::1]', '168.63.129.16', '100.100.100.200'],
      ...['[::ffff:169.254.169.254]', '[::ffff:a9fe:a9fe]', '2852039166', '0251.0376.0251.0376'],
      ...[
        '224.0.0.1',
        '255.255.255.255',
        '240.0.0.1',
        '192.0.2.1',
        '198.18.0.1',
        '[ff02::1]',
        '[2001:db8::1]',
      ],
      ...['localhost', 'LOCALHOST', 'localhost.', 'api.openai.com@127.0.0.1', 'user:pass@127.0.0.1'],
    ];

    it.each(hosts)('is rejected: %s', async (host) => {
      const { port } = new URL(hidden.url);
      for (const base of [`http://${host}:${port}/v1`, `https://${host}/v1`]) {
        const { status, text } = await ask({ model: 'plain', api_base: base, api_key: 'sk-other' });
        expect([base, status, (JSON.parse(text) as { detail: unknown }).detail]).toMatchObject([
          base,
          422,
          [{ loc: ['body', 'llm_config', 'api_base'] }],
        ]);
      }
      expect(hidden.calls).toEqual([]);
    });

    it.each([
      ...[
        'ftp://127.0.0.1/',
        'file:///etc/passwd',
        'unix:/var/run/docker.sock',
        'data:text/plain,x',
        '//127.0.0.1/v1',
      ],
      ...[
        '127.0.0.1',
        'http://',
        'http://127.0.0.1:0x50/',
        'http://api.openai.com/v1?x=1',
        'http://api.openai.com/#x',
      ],
      ...['http://[fe80::1%25eth0]/', 'http://127.0.0.1\\@api.openai.com/', 'http://no.such.name.invalid/v1'],
    ])('is rejected in another form: %s', async (base) => {
      const { status, text } = await ask({ model: 'plain', api_base: base, api_key: 'sk-other' });
      expect([status, (JSON.parse(text) as { detail: unknown }).detail]).toMatchObject([
        422,
        [{ loc: ['body', 'llm_config', 'api_base'] }],
      ]);
    });
  });
});
