import { FakeProvider } from '../support/fake-provider/fake-provider.js';
import type { Client } from '../support/client.js';
import { Documents } from '../support/documents.js';
import { startFakeServer } from '../support/fake-server.js';
import { settledHealth } from '../support/health.js';
import { Service } from '../support/service.js';
import { until } from '../support/until.js';

const KEY = 'sk-connected-key-of-the-provider';

describe('the model connected at runtime', () => {
  let service: Service;
  let provider: FakeProvider;
  beforeAll(async () => {
    [service, provider] = await Promise.all([Service.start(), FakeProvider.start()]);
    await new Documents(() => service.client).ingestText('The keeper is relieved every Tuesday.', {});
  });
  afterAll(async () => {
    await service.stop();
    await provider.close();
  });

  const given = (behaviour = 'text:On Tuesday.'): object => ({
    model: `hosted_vllm/${behaviour}`,
    api_base: provider.url,
    api_key: KEY,
  });
  const ask = async (): Promise<unknown> => {
    const answer = await service.client.post('/query', { query: 'When is the keeper relieved?' });
    return (answer.json() as { completion: unknown }).completion;
  };
  const health = async (status: string): Promise<unknown> => {
    const { report } = await settledHealth(service.client, { llm: status });
    return report.services.find(({ name }) => name === 'llm');
  };
  const keyOf = async (body: object): Promise<Client> => {
    const made = await service.client.post('/keys', { name: 'other', ...body });
    return service.as((made.json() as { key: string }).key);
  };

  it('is that of the environment at first', async () => {
    const answer = await service.client.get('/settings/model');
    expect(answer.json()).toMatchObject({
      model: 'extractive',
      source: 'environment',
      has_key: false,
      key_end: null,
      problem: null,
      changeable: true,
    });
  });

  it('answers at once, without a restart, and is named everywhere without its key', async () => {
    const connected = await service.client.put('/settings/model', given());
    expect(connected.json()).toMatchObject({
      model: 'hosted_vllm/text:On Tuesday.',
      api_base: provider.url,
      source: 'runtime',
      has_key: true,
      key_end: 'ider',
      environment_model: 'extractive',
    });
    expect(await ask()).toBe('On Tuesday.');
    expect(provider.last.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(await health('healthy')).toMatchObject({ message: 'text:On Tuesday.' });
    const models = await service.client.get('/models');
    expect(models.json()).toMatchObject({ default_models: { chat: 'hosted_vllm/text:On Tuesday.' } });
    for (const path of ['/settings/model', '/models', '/health', '/v1/models', '/logs']) {
      expect((await service.client.get(path)).text).not.toContain(KEY);
    }
  });

  it('is replaced by that of the environment, with a reason, once the secret has changed', async () => {
    await service.terminate();
    await service.restart({ JWT_SECRET: 'an entirely different secret of fifty bytes, no less' });
    expect((await service.client.get('/settings/model')).json()).toMatchObject({
      model: 'extractive',
      source: 'environment',
      problem: expect.stringContaining('JWT_SECRET has changed') as unknown,
    });
    await health('degraded');
    expect(await ask()).toContain('Tuesday');
  });

  it('cannot be changed or tested with RUNTIME_SETTINGS=false', async () => {
    await service.terminate();
    await service.restart({ RUNTIME_SETTINGS: 'false' });
    expect((await service.client.get('/settings/model')).json()).toMatchObject({
      model: 'extractive',
      changeable: false,
    });
    const refused = [
      await service.client.put('/settings/model', given()),
      await service.client.delete('/settings/model'),
      await service.client.post('/settings/model/test', given()),
      await service.client.post('/settings/model/list', given()),
    ];
    for (const { status, text } of refused) {
      expect([status, text]).toEqual([403, expect.stringContaining('RUNTIME_SETTINGS=false')]);
    }
  });

  it('is still there after a restart', async () => {
    await service.terminate();
    await service.restart();
    expect(await ask()).toBe('On Tuesday.');
    expect(provider.last.headers.authorization).toBe(`Bearer ${KEY}`);
  });

  it('is for administrators of the installation only', async () => {
    const other = await keyOf({ scopes: ['admin'], app_id: 'acme' });
    const reader = await keyOf({ scopes: ['read', 'query', 'write'] });
    for (const client of [other, reader, service.as(null)]) {
      const calls = [
        await client.get('/settings/model'),
        await client.put('/settings/model', given('stolen')),
        await client.delete('/settings/model'),
        await client.post('/settings/model/test', given('stolen')),
        await client.post('/settings/model/list', given('stolen')),
      ];
      for (const { status, text } of calls) {
        expect([401, 403]).toContain(status);
        expect(text).not.toContain(provider.url);
      }
    }
    expect(provider.callsTo('stolen')).toHaveLength(0);
    expect(await ask()).toBe('On Tuesday.');
  });

  it('keeps the model in use when a request is wrong', async () => {
    const wrong = await service.client.put('/settings/model', {
      ...given(),
      api_base: 'http://169.254.169.254',
    });
    expect(wrong.status).toBe(422);
    expect(wrong.json()).toMatchObject({ detail: [{ loc: ['body', 'api_base'] }] });
    const moved = await service.client.put('/settings/model', { model: 'openai/x', api_base: provider.url });
    expect(moved.json()).toMatchObject({ detail: [{ loc: ['body', 'api_key'] }] });
    expect(await ask()).toBe('On Tuesday.');
  });

  describe('in a test', () => {
    const test = async (body: object): Promise<{ ok: boolean; message: string }> => {
      const answer = await service.client.post('/settings/model/test', body);
      expect(answer.status).toBe(200);
      expect(answer.text).not.toContain(KEY);
      return answer.json() as { ok: boolean; message: string };
    };

    it('answers with the stored values', async () => {
      expect(await test({})).toMatchObject({
        ok: true,
        message: expect.stringMatching(/answered in \d+\.\d seconds$/) as unknown,
      });
      expect(provider.last.headers.authorization).toBe(`Bearer ${KEY}`);
    });

    it.each([
      ['status:401', 'refused the key (401)'],
      ['status:401|repeats-key', 'refused the key (401)'],
      ['status:404', 'does not know the model'],
      ['status:429', 'limits the rate'],
      ['status:500', 'failed (500)'],
    ])('says in words, after one call, that the provider with %s failed', async (behaviour, words) => {
      provider.forget();
      expect(await test(given(behaviour))).toMatchObject({
        ok: false,
        message: expect.stringContaining(words) as unknown,
      });
      expect(provider.completions).toHaveLength(1);
    });

    it('stops after the first token', async () => {
      await test(given('tokens:5000|token-delay:20'));
      await until('the call to the model is cancelled', () => provider.last.aborted);
    });

    it('says that the address is unreachable', async () => {
      const gone = await startFakeServer(() => undefined);
      await gone.close();
      expect(await test({ ...given(), api_base: `${gone.url}/v1` })).toMatchObject({
        ok: false,
        message: expect.stringContaining('could not be reached') as unknown,
      });
    });

    it('does not send the stored key to another address', async () => {
      const other = await FakeProvider.start();
      await test({ model: 'hosted_vllm/plain', api_base: other.url });
      expect(other.last.headers.authorization).toBeUndefined();
      await other.close();
    });

    it('changes nothing', async () => {
      expect(await ask()).toBe('On Tuesday.');
    });
  });

  describe('whose provider lists its models', () => {
    interface Listed {
      ok: boolean;
      message: string;
      models: { model: string; name: string; context_window: number | null }[];
    }
    const list = async (body: object): Promise<Listed> => {
      const answer = await service.client.post('/settings/model/list', body);
      expect(answer.status).toBe(200);
      expect(answer.text).not.toContain(KEY);
      return answer.json() as Listed;
    };
    const there = (): object => ({ model: 'hosted_vllm/any', api_base: provider.url, api_key: KEY });
    afterAll(() => {
      provider.listed = {};
    });

    it('gives their names and windows, without those that answer no questions', async () => {
      provider.listed = {
        data: [
          { id: 'writer-of-our-own' },
          { id: 'meta-llama/Llama-3.3-70B', max_model_len: 32_768 },
          { id: 'gpt-4o-mini' },
          { id: 'text-embedding-3-small' },
          { id: 7 },
          null,
        ],
      };
      const listed = await list(there());
      expect(listed).toEqual({
        ok: true,
        message: 'The provider lists 3 models',
        models: [
          { model: 'hosted_vllm/gpt-4o-mini', name: 'gpt-4o-mini', context_window: 128_000 },
          {
            model: 'hosted_vllm/meta-llama/Llama-3.3-70B',
            name: 'meta-llama/Llama-3.3-70B',
            context_window: 32_768,
          },
          { model: 'hosted_vllm/writer-of-our-own', name: 'writer-of-our-own', context_window: null },
        ],
      });
      const call = provider.calls.at(-1);
      expect([call?.path, call?.headers.authorization]).toEqual(['/v1/models', `Bearer ${KEY}`]);
    });

    it('is that of the address, or in use', async () => {
      const addressed = await list({ api_base: provider.url });
      expect(addressed.models[0]?.model).toBe('hosted_vllm/gpt-4o-mini');
      expect((await list({})).models).toHaveLength(3);
      const ollama = await list({ model: 'ollama_chat/any', api_base: provider.url });
      expect(ollama.models[0]).toMatchObject({ model: 'ollama_chat/gpt-4o-mini', context_window: 4_096 });
    });

    it.each([
      [{ status: 401 }, 'refused the key (401)'],
      [{ status: 404 }, 'lists no models at this address (404)'],
      [{ status: 503 }, 'failed (503)'],
      [{ body: '<html>A page</html>' }, 'sent no list of models'],
      [{ data: [] }, 'lists no models'],
    ])('says in words what is wrong: %j', async (answer, words) => {
      provider.listed = answer;
      expect(await list({ api_base: provider.url })).toMatchObject({
        ok: false,
        message: expect.stringContaining(words) as unknown,
        models: [],
      });
    });

    it('says that nobody is there', async () => {
      const gone = await startFakeServer(() => undefined);
      await gone.close();
      expect((await list({ api_base: `${gone.url}/v1` })).message).toContain('could not be reached');
    });

    it('is asked only at addresses that a model may have, by the operator, without the key of another address', async () => {
      const answer = await service.client.post('/settings/model/list', {
        api_base: 'http://169.254.169.254',
      });
      expect([answer.status, answer.json()]).toMatchObject([
        422,
        { detail: [{ loc: ['body', 'api_base'] }] },
      ]);
      const tenant = await keyOf({ scopes: ['admin'], app_id: 'acme' });
      expect((await tenant.post('/settings/model/list', there())).status).toBe(403);
      const other = await FakeProvider.start();
      await list({ model: 'hosted_vllm/any', api_base: other.url });
      expect(other.calls.at(-1)?.headers.authorization).toBeUndefined();
      await other.close();
    });
  });

  it('tells in a test whether its context window is known', async () => {
    const windowOf = async (body: object): Promise<unknown> => {
      const answer = await service.client.post('/settings/model/test', { api_base: provider.url, ...body });
      return (answer.json() as { context_window: unknown }).context_window;
    };
    expect(await windowOf({ model: 'hosted_vllm/plain' })).toBeNull();
    expect(await windowOf({ model: 'hosted_vllm/plain', context_window: 8_192 })).toBe(8_192);
    expect(await windowOf({ model: 'hosted_vllm/gpt-4o-mini' })).toBe(128_000);
    expect(await windowOf({ model: 'ollama_chat/plain' })).toBe(4_096);
  });

  it('has the provider of its address if its name has none', async () => {
    const bare = { model: 'text:By its bare name.', api_base: provider.url };
    const connected = await service.client.put('/settings/model', bare);
    expect(connected.json()).toMatchObject({ model: 'hosted_vllm/text:By its bare name.' });
    expect(await ask()).toBe('By its bare name.');
    const nowhere = await service.client.put('/settings/model', { model: 'llama3.1' });
    expect([nowhere.status, nowhere.text]).toEqual([422, expect.stringContaining('needs its provider')]);
    const known = await service.client.put('/settings/model', { model: 'gpt-4o-mini', api_key: KEY });
    expect(known.json()).toMatchObject({
      model: 'openai/gpt-4o-mini',
      api_base: 'https://api.openai.com/v1',
    });
  });

  it('reports a refused key after one call', async () => {
    await service.client.put('/settings/model', given('status:401'));
    provider.forget();
    const answer = await service.client.post('/query', { query: 'When is the keeper relieved?' });
    expect([answer.status, answer.text]).toEqual([502, expect.stringContaining('refused the key (401)')]);
    expect(answer.headers.get('x-should-retry')).toBe('false');
    expect(provider.completions).toHaveLength(1);
  });

  it('is disconnected, and its key deleted', async () => {
    const answer = await service.client.delete('/settings/model');
    expect(answer.json()).toMatchObject({ model: 'extractive', source: 'environment', has_key: false });
    expect(await ask()).toContain('Tuesday');
    expect(service.output).not.toContain(KEY);
  });
});
