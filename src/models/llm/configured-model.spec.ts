import { Logger } from '@nestjs/common';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { settingsWith } from '../../../test/support/settings.js';
import { SigningSecret } from '../../auth/signing-secret.js';
import { ConfiguredModel } from './configured-model.js';
import { RuntimeModelRepository, type RuntimeModel } from './runtime-model.repository.js';
import { pause, until } from '../../../test/support/until.js';

const KEY = 'sk-a-key-of-the-provider';
const OPENAI: RuntimeModel = {
  model: 'openai/gpt-4o-mini',
  apiBase: 'https://api.openai.com/v1',
  apiKey: KEY,
  contextWindow: null,
};

describe('the configured model', () => {
  const warned = jest.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
  }, 60_000);
  afterAll(() => database.close());
  beforeEach(async () => {
    warned.mockClear();
    await database.dataSource.query(`delete from service_state where name = 'language_model'`);
  });

  /** A process of the service. */
  const start = (
    environment: Record<string, string> = {},
    secret = 'a'.repeat(40),
    previous?: string,
  ): ConfiguredModel =>
    new ConfiguredModel(
      settingsWith(environment),
      new RuntimeModelRepository(database.dataSource, new SigningSecret(secret, previous)),
    );
  const row = async (): Promise<string> => {
    const [found] = await database.dataSource.query<{ value: unknown }[]>(
      `select value from service_state where name = 'language_model'`,
    );
    return JSON.stringify(found?.value);
  };
  const locOf = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => null,
      (error: unknown) => (error as { items?: { loc: unknown }[] }).items?.[0]?.loc,
    );

  it('is the model of the environment until an operator connects another model', async () => {
    const model = start();
    expect((await model.get()).model.name).toBe('extractive');
    await model.connect(OPENAI);
    expect(await model.get()).toMatchObject({
      source: 'runtime',
      settings: { provider: 'openai', name: 'gpt-4o-mini', apiKey: KEY, contextWindow: 128_000 },
    });
    await model.disconnect();
    expect(await model.get()).toBe(model.environment);
    expect(await row()).toBe(undefined);
  });

  it('is stored with an encrypted key', async () => {
    await start().connect(OPENAI);
    expect(await row()).not.toContain(KEY);
    expect(await row()).toContain('https://api.openai.com/v1');
  });

  it('is used by other processes and after a restart', async () => {
    const [one, other] = [start(), start()];
    expect((await other.get()).source).toBe('environment');
    await one.connect(OPENAI);
    const names = async (): Promise<string> => (await other.get()).model.name;
    await until('the other process has the model', async () => (await names()) === 'gpt-4o-mini');
    expect((await start().get()).settings.apiKey).toBe(KEY);
  });

  it('keeps one instance while nothing changes', async () => {
    const model = start();
    await model.connect(OPENAI);
    const { model: first } = await model.get();
    await pause(1_100, 'longer than the model is cached');
    expect((await model.get()).model).toBe(first);
  });

  it('is the model of the environment, with a reason, after a change of the secret', async () => {
    await start().connect(OPENAI);
    const changed = start({ LLM_MODEL: 'ollama/llama3.2' }, 'b'.repeat(40));
    expect(await changed.get()).toMatchObject({
      source: 'environment',
      model: { name: 'llama3.2' },
      problem: expect.stringContaining('JWT_SECRET has changed') as unknown,
    });
    expect(warned).toHaveBeenCalledTimes(1);
    await changed.connect(OPENAI);
    expect(await changed.get()).toMatchObject({ source: 'runtime', problem: null });
  });

  it('is still in use while the secret is replaced', async () => {
    await start().connect(OPENAI);
    const replacing = start({}, 'b'.repeat(40), 'a'.repeat(40));
    expect((await replacing.get()).settings.apiKey).toBe(KEY);
    await replacing.connect({ ...OPENAI, apiKey: null });
    expect((await start({}, 'b'.repeat(40)).get()).settings.apiKey).toBe(KEY);
  });

  it('does not send the key to an address that was changed in the database', async () => {
    await start().connect(OPENAI);
    await database.dataSource.query(
      `update service_state set value = value || '{"api_base":"https://evil.example/v1"}' where name = 'language_model'`,
    );
    expect((await start().get()).source).toBe('environment');
  });

  it('is not read with RUNTIME_SETTINGS=false', async () => {
    await start().connect(OPENAI);
    expect(await start({ RUNTIME_SETTINGS: 'false' }).get()).toMatchObject({
      source: 'environment',
      problem: null,
    });
  });

  it('keeps the stored key only for another model at the same address', async () => {
    const model = start();
    await model.connect(OPENAI);
    await model.connect({ ...OPENAI, model: 'openai/gpt-4.1', apiKey: null });
    expect((await model.get()).settings).toMatchObject({ name: 'gpt-4.1', apiKey: KEY });
    for (const apiBase of ['https://evil.example/v1', 'http://api.openai.com/v1']) {
      expect(await locOf(model.connect({ ...OPENAI, apiBase, apiKey: null }))).toEqual(['body', 'api_key']);
    }
    await model.connect({ ...OPENAI, model: 'litellm_proxy/x', apiKey: null });
    expect((await model.get()).settings.apiKey).toBeNull();
  });

  it('uses LLM_API_KEY at the address of the environment, without storing it', async () => {
    const model = start({ LLM_MODEL: 'openai/gpt-4o', LLM_API_KEY: 'sk-of-the-environment' });
    await model.connect({ ...OPENAI, apiKey: null });
    expect((await model.get()).settings).toMatchObject({
      name: 'gpt-4o-mini',
      apiKey: 'sk-of-the-environment',
    });
    expect(await row()).toContain('"sealed_key":null');
  });

  it.each([
    ['http://169.254.169.254/v1', 'api_base'],
    ['http://[::ffff:169.254.169.254]/v1', 'api_base'],
    ['http://0.0.0.0:11434', 'api_base'],
    ['file:///etc/passwd', 'api_base'],
    ['http://user:secret@127.0.0.1/v1', 'api_base'],
    ['nonsense', 'api_base'],
  ])('is refused at %s', async (apiBase, member) => {
    expect(await locOf(start().connect({ ...OPENAI, apiBase }))).toEqual(['body', member]);
    expect(await row()).toBe(undefined);
  });

  it.each([
    [{ model: 'no-prefix', apiBase: null }, 'model'],
    [{ model: 'azure/mine', apiBase: null }, 'api_base'],
    [{ apiKey: null }, 'api_key'],
  ])('is refused without what its provider needs: %j', async (given, member) => {
    expect(await locOf(start().connect({ ...OPENAI, ...given }))).toEqual(['body', member]);
  });
});
