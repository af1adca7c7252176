import { FakeProvider } from '../../../test/support/fake-provider/fake-provider.js';
import { settingsWith } from '../../../test/support/settings.js';
import type { Invalid } from '../../errors/index.js';
import type { CompletionRequest } from '../completion.js';
import { LanguageModels } from '../language-models.js';
import { llmConfigProblems, readLlmConfig } from './read-llm-config.js';

const REQUEST: CompletionRequest = {
  messages: [{ role: 'user', content: 'Hello' }],
  grounding: { question: 'Hello', passages: [], citations: false },
  format: { kind: 'text' },
  maxTokens: null,
  temperature: null,
};

const problems = (config: unknown): string[] =>
  llmConfigProblems(config, ['llm_config']).map(({ loc, type }) => `${loc.slice(1).join('.')} ${type}`);

describe('reading llm_config', () => {
  it('takes every documented key', () => {
    expect(
      problems({
        model: 'openai/gpt-4o',
        api_key: 'sk-x',
        api_base: 'https://x.example',
        api_version: '2024-10-21',
        deployment_id: 'd',
        temperature: 0.5,
        max_tokens: 10,
        top_p: 1,
        stop: ['a', 'b'],
        seed: 7,
        presence_penalty: -2,
        frequency_penalty: 2,
        reasoning_effort: 'low',
        timeout: 1.5,
        num_retries: 0,
        extra_headers: { 'X-Title': 'me' },
        vision: true,
        context_window: 4096,
      }),
    ).toEqual([]);
  });

  it.each<[unknown, string[]]>([
    ['text', [' dict_type']],
    [[], [' dict_type']],
    [{ modle: 'x' }, ['modle extra_forbidden']],
    [{ constructor: 'x' }, ['constructor extra_forbidden']],
    [{ model: 3, temperature: 'hot' }, ['model string_type', 'temperature float_type']],
    [{ temperature: 2.1 }, ['temperature less_than_equal']],
    [{ max_tokens: 0 }, ['max_tokens greater_than']],
    [{ max_tokens: 1.5 }, ['max_tokens int_type']],
    [{ stop: ['a', 1] }, ['stop.1 string_type']],
    [{ timeout: 0 }, ['timeout greater_than']],
    [{ vision: 'yes' }, ['vision bool_type']],
    [{ api_key: '' }, ['api_key string_too_short']],
    [{ extra_headers: { Host: 'x' } }, ['extra_headers.Host value_error']],
    [{ extra_headers: { Authorization: 'x' } }, ['extra_headers.Authorization value_error']],
    [{ extra_headers: { 'X-A': 'a\r\nHost: b' } }, ['extra_headers.X-A value_error']],
    [
      { extra_headers: { 'X A': 'a', 'X-B': 1 } },
      ['extra_headers.X A value_error', 'extra_headers.X-B string_type'],
    ],
    [{ model: 'a', model_name: 'b' }, ['model_name value_error']],
    [{ model: null }, ['model string_type']],
  ])('finds what is wrong with %j', (config, expected) => {
    expect(problems(config)).toEqual(expected);
  });

  it('never repeats a value', () => {
    const [problem] = llmConfigProblems({ api_key: ['sk-secret'] }, ['llm_config']);
    expect(JSON.stringify(problem)).not.toContain('sk-secret');
  });

  it('reads aliases and seconds', () => {
    expect(
      readLlmConfig({ model_name: 'openai/x', base_url: 'https://x.example', timeout: 1.5, top_p: 0.1 }),
    ).toEqual({
      model: 'openai/x',
      apiBase: 'https://x.example',
      timeoutMs: 1500,
      sampling: { top_p: 0.1 },
    });
  });
});

describe('the model of a request', () => {
  let provider: FakeProvider;
  let elsewhere: FakeProvider;
  beforeAll(async () => {
    [provider, elsewhere] = await Promise.all([FakeProvider.start(), FakeProvider.start()]);
  });
  afterAll(() => Promise.all([provider.close(), elsewhere.close()]));
  beforeEach(() => {
    provider.forget();
    elsewhere.forget();
  });

  const own = (environment: Record<string, string> = {}): LanguageModels =>
    new LanguageModels(
      settingsWith({
        LLM_MODEL: 'openai/configured',
        LLM_API_BASE: provider.url,
        LLM_API_KEY: 'sk-server-key',
        LLM_ALLOWED_BASES: elsewhere.url,
        ...environment,
      }),
    );

  async function ask(models: LanguageModels, config: Record<string, unknown>): Promise<void> {
    const model = await models.for(readLlmConfig(config));
    await model.complete(REQUEST);
  }

  const refusal = (models: LanguageModels, config: Record<string, unknown>): Promise<unknown> =>
    models.for(readLlmConfig(config)).catch((error: unknown) => (error as Invalid).items[0]?.loc.join('.'));

  it('is the configured one with the given keys over it', async () => {
    await ask(own(), {
      temperature: 0.3,
      top_p: 0.2,
      stop: 'END',
      seed: 1,
      reasoning_effort: 'none',
      extra_headers: { 'X-Title': 't' },
    });
    expect(provider.last.body).toMatchObject({
      model: 'configured',
      temperature: 0.3,
      top_p: 0.2,
      stop: 'END',
      seed: 1,
      reasoning_effort: 'none',
    });
    expect(provider.last.headers).toMatchObject({ 'x-title': 't', authorization: 'Bearer sk-server-key' });
  });

  it('keeps provider, address and key when only the name changes', async () => {
    await ask(own(), { model: 'meta/other-name' });
    expect(provider.last.body.model).toBe('meta/other-name');
    expect(provider.last.headers.authorization).toBe('Bearer sk-server-key');
  });

  it('sends the key of the request to an allowed address, never the own one', async () => {
    await ask(own(), { api_base: elsewhere.url, api_key: 'sk-mine' });
    expect(elsewhere.last.headers.authorization).toBe('Bearer sk-mine');
    await ask(own(), { api_base: elsewhere.url, model: 'ollama/x' });
    expect(elsewhere.last.headers.authorization).toBeUndefined();
    expect(JSON.stringify(elsewhere.calls)).not.toContain('sk-server-key');
  });

  it.each<[Record<string, unknown>, string]>([
    [{ model: 'groq/llama' }, 'body.llm_config.api_key'],
    [{ model: 'hosted_vllm/x' }, 'body.llm_config.api_base'],
    [{ model: 'azure/x', api_key: 'k' }, 'body.llm_config.api_base'],
    [{ model: 'ollama/llama3' }, 'body.llm_config.api_base'],
    [{ api_base: 'https://api.example.com', api_key: 'k' }, 'body.llm_config.api_base'],
  ])('refuses %j at %s', async (config, loc) => {
    await expect(refusal(own(), config)).resolves.toBe(loc);
  });

  it('refuses an allowed address without a key of its own', async () => {
    await expect(refusal(own(), { api_base: elsewhere.url })).resolves.toBe('body.llm_config.api_key');
  });

  it('takes the configured address for what it is', async () => {
    await ask(own(), { api_base: `${provider.url}/` });
    expect(provider.last.headers.authorization).toBe('Bearer sk-server-key');
  });

  it('can be the embedded default, and needs a prefix when that is configured', async () => {
    await expect(own().for(readLlmConfig({ model: 'extractive' }))).resolves.toMatchObject({
      provider: 'extractive',
    });
    await expect(refusal(new LanguageModels(settingsWith()), { model: 'gpt-4o' })).resolves.toBe(
      'body.llm_config.model',
    );
  });

  it('knows windows and vision by name, and believes the request', async () => {
    await expect(own().for(readLlmConfig({ model: 'openai/gpt-4o' }))).resolves.toMatchObject({
      contextWindow: 128_000,
      vision: true,
    });
    await expect(own().for(readLlmConfig({ context_window: 999, vision: true }))).resolves.toMatchObject({
      contextWindow: 999,
      vision: true,
    });
  });

  it('never waits longer than the service allows', async () => {
    const models = own({ LLM_TIMEOUT_MS: '50' });
    const model = await models.for(readLlmConfig({ model: 'hangs', timeout: 600, num_retries: 0 }));
    await expect(model.complete(REQUEST)).rejects.toMatchObject({ status: 504 });
  });
});
