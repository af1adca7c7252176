import { configuredModel } from '../../../test/support/configured-model.js';
import { FakeProvider } from '../../../test/support/fake-provider/fake-provider.js';
import { settingsWith } from '../../../test/support/settings.js';
import type { Invalid } from '../../errors/index.js';
import type { CompletionRequest } from './language-model.js';
import { LanguageModels } from './language-models.js';
import type { LlmConfig } from './model-settings.js';
import { DataSource } from 'typeorm';
import { scopeOf } from '../../auth/scope.js';
import { Quotas } from '../../quotas/quotas.service.js';

const CALLER = scopeOf('a', ['query', 'write'], 'key');

const REQUEST: CompletionRequest = {
  messages: [{ role: 'user', content: 'Hello' }],
  format: { kind: 'text' },
  maxTokens: null,
  temperature: null,
};

describe('LanguageModels', () => {
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

  const withSettings = (environment: Record<string, string> = {}): LanguageModels =>
    new LanguageModels(
      settingsWith(environment),
      configuredModel(environment),
      new Quotas(new DataSource({ type: 'postgres' }), settingsWith(environment)),
    );
  const own = (environment: Record<string, string> = {}): LanguageModels =>
    withSettings({
      LLM_MODEL: 'openai/configured',
      LLM_API_BASE: provider.url,
      LLM_API_KEY: 'sk-server-key',
      LLM_ALLOWED_BASES: elsewhere.url,
      ...environment,
    });

  async function ask(models: LanguageModels, config: Partial<LlmConfig>): Promise<void> {
    const model = await models.for(CALLER, { sampling: {}, ...config });
    await model.complete(REQUEST);
  }

  const refusal = (models: LanguageModels, config: Partial<LlmConfig>): Promise<unknown> =>
    models
      .for(CALLER, { sampling: {}, ...config })
      .catch((error: unknown) => (error as Invalid).items[0]?.loc.join('.'));

  it('tells a token only that it may not use a model, whatever the model would need', async () => {
    const policy = {
      uses: new Set(['query'] as const),
      ownerWrites: true,
      models: [],
      maxAnswerTokens: null,
      questionsPerMinute: null,
    };
    const visitor = scopeOf('a', ['query'], 'key', { policy });
    for (const models of [own(), withSettings()])
      for (const model of ['openai/gpt-5-pro', 'anthropic/claude', 'azure/gpt', 'hosted_vllm/x']) {
        const asked = models.for(visitor, { sampling: {}, model });
        const sentence = 'Value error, this token may not use this model';
        await expect(asked).rejects.toMatchObject({
          items: [{ loc: ['body', 'llm_config', 'model'], msg: sentence }],
        });
      }
  });

  it('applies the members of llm_config to the configured model', async () => {
    await ask(own(), {
      sampling: { temperature: 0.3, top_p: 0.2, stop: 'END', seed: 1, reasoning_effort: 'none' },
      extraHeaders: { 'X-Title': 't' },
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

  it("sends the request's key to an allowed address, never the server's key", async () => {
    await ask(own(), { apiBase: elsewhere.url, apiKey: 'sk-mine' });
    expect(elsewhere.last.headers.authorization).toBe('Bearer sk-mine');
    await ask(own(), { apiBase: elsewhere.url, model: 'ollama/x' });
    expect(elsewhere.last.headers.authorization).toBeUndefined();
    expect(JSON.stringify(elsewhere.calls)).not.toContain('sk-server-key');
  });

  it('sends requests to the named address if it is the configured address of another provider', async () => {
    const models = own({ LLM_ALLOWED_BASES: '' });
    await ask(models, { model: 'mistral/small', apiBase: `${provider.url}/`, apiKey: 'sk-mine' });
    expect(provider.last.headers.authorization).toBe('Bearer sk-mine');
    await ask(models, { model: 'lm_studio/small', apiBase: provider.url });
    expect(provider.last.headers.authorization).toBeUndefined();
    expect(provider.calls).toHaveLength(2);
  });

  it.each<[Partial<LlmConfig>, string]>([
    [{ model: 'groq/llama' }, 'body.llm_config.api_key'],
    [{ model: 'hosted_vllm/x' }, 'body.llm_config.api_base'],
    [{ model: 'azure/x', apiKey: 'k' }, 'body.llm_config.api_base'],
    [{ model: 'ollama/llama3' }, 'body.llm_config.api_base'],
    [{ apiBase: 'https://api.example.com', apiKey: 'k' }, 'body.llm_config.api_base'],
  ])('refuses %j at %s', async (config, loc) => {
    await expect(refusal(own(), config)).resolves.toBe(loc);
  });

  it('refuses an allowed address without a key in the request', async () => {
    await expect(refusal(own(), { apiBase: elsewhere.url })).resolves.toBe('body.llm_config.api_key');
  });

  it('treats the configured address as trusted', async () => {
    await ask(own(), { apiBase: `${provider.url}/` });
    expect(provider.last.headers.authorization).toBe('Bearer sk-server-key');
  });

  it('accepts "extractive", and requires a provider prefix when "extractive" is configured', async () => {
    await expect(own().for(CALLER, { model: 'extractive', sampling: {} })).resolves.toMatchObject({
      provider: 'extractive',
    });
    await expect(refusal(withSettings(), { model: 'gpt-4o' })).resolves.toBe('body.llm_config.model');
  });

  it('derives context window and vision from the name unless the request sets them', async () => {
    await expect(own().for(CALLER, { model: 'openai/gpt-4o', sampling: {} })).resolves.toMatchObject({
      contextWindow: 128_000,
      vision: true,
    });
    await expect(own().for(CALLER, { contextWindow: 999, vision: true, sampling: {} })).resolves.toMatchObject({
      contextWindow: 999,
      vision: true,
    });
  });

  it('caps the timeout at LLM_TIMEOUT_MS', async () => {
    const models = own({ LLM_TIMEOUT_MS: '50' });
    const model = await models.for(CALLER, { model: 'hangs', timeoutMs: 600_000, retries: 0, sampling: {} });
    await expect(model.complete(REQUEST)).rejects.toMatchObject({ status: 504 });
  });
});
