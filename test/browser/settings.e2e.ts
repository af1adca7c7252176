import { Documents } from '../support/documents.js';
import { FakeProvider } from '../support/fake-provider/fake-provider.js';
import { Service } from '../support/service.js';
import { inBrowser } from './chromium.js';
import { LOOKS, Visit } from './visit.js';

const KEY = 'sk-typed-into-the-page-once';

inBrowser('settings in the playground', () => {
  let service: Service;
  let provider: FakeProvider;
  const visits: Visit[] = [];

  const start = async (key = service.adminKey, look = LOOKS[0]!): Promise<Visit> => {
    const visit = await Visit.start(service.url, key, look);
    visits.push(visit);
    await visit.signIn(key);
    await visit.open('Settings');
    return visit;
  };
  const ask = async (): Promise<string> => {
    const answer = await service.client.post('/query', { query: 'When is the keeper relieved?' });
    return (answer.json() as { completion: string }).completion;
  };

  beforeAll(async () => {
    [service, provider] = await Promise.all([Service.start(), FakeProvider.start()]);
    await new Documents(() => service.client).ingestText('The keeper is relieved every Tuesday at noon.', {});
  });
  afterAll(async () => {
    for (const visit of visits) await visit.close();
    await service.stop();
    await provider.close();
  });

  it('say that no model is connected, and offer lines for known servers', async () => {
    const visit = await start();
    const { page } = visit;
    await page.getByText('No language model: best passages.').waitFor();
    await page.getByLabel('Model', { exact: true }).waitFor();
    expect(await page.getByText('by the environment').count()).toBe(0);
    await page.getByRole('radio', { name: 'OpenAI' }).check();
    expect(await page.getByLabel('Model', { exact: true }).inputValue()).toBe('openai/gpt-4o-mini');
    expect(await page.getByLabel('Address').inputValue()).toBe('https://api.openai.com/v1');
    await page.getByText('As lines of .env').click();
    await page.getByText('LLM_MODEL=openai/gpt-4o-mini').waitFor();
    await visit.seen('settings');
    await page.getByRole('radio', { name: 'LiteLLM proxy' }).check();
    expect(await page.getByLabel('Address').inputValue()).toBe('http://127.0.0.1:4000');
    visit.expectCalm();
  });

  it.each(LOOKS.slice(1).map((look) => [look[0], look] as const))('are readable on %s', async (_, look) => {
    const visit = await start(service.adminKey, look);
    await visit.page.getByLabel('Model', { exact: true }).waitFor();
    await visit.seen('settings');
    visit.expectCalm();
  });

  it('connect a model, which answers without a restart', async () => {
    const visit = visits[0]!;
    const { page } = visit;
    await page.getByRole('radio', { name: 'Another server' }).check();
    const field = (name: string) => page.getByLabel(name, { exact: true });
    await field('Model').fill('hosted_vllm/status:401');
    await field('Address').fill(provider.url);
    await field('API key').fill(KEY);
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    await page.getByText('refused the key (401)').waitFor();
    await visit.seen('settings-refused');
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByText('It was not connected.').waitFor();
    expect(await page.getByText('No language model: best passages.').count()).toBe(1);

    await field('Model').fill('hosted_vllm/text:On Tuesday at noon.');
    expect(await page.getByText('refused the key (401)').count()).toBe(0);
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    await page.getByText(/answered in \d/).waitFor();
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByText('It was not connected.').waitFor();
    await page.getByText('The context window of this model is not known.').waitFor();
    expect(await page.evaluate(() => document.activeElement?.getAttribute('type'))).toBe('number');
    await visit.seen('settings-window');
    await page.keyboard.type('32768');
    await page.keyboard.press('Enter');
    await page.getByText('no restart is needed').waitFor();
    await page.getByText('32,768 tokens').waitFor();
    await page.getByText('set, ends with once').waitFor();
    await page.getByText('Ready').waitFor();
    await visit.seen('settings-connected');
    expect(await page.content()).not.toContain(KEY);

    await visit.open('Search');
    expect(await ask()).toBe('On Tuesday at noon.');
    expect(provider.last.headers.authorization).toBe(`Bearer ${KEY}`);
    visit.expectCalm();
  });

  it('list the models of a server, of which one is chosen', async () => {
    const visit = visits[0]!;
    const { page } = visit;
    const field = (name: string) => page.getByLabel(name, { exact: true });
    await visit.open('Settings');
    await page.getByRole('radio', { name: 'Another server' }).check();
    await field('Model').fill('');
    await field('Address').fill(provider.url);
    provider.listed = { status: 401 };
    await page.getByRole('button', { name: 'List the models of the server' }).click();
    await page.getByText('refused the key (401)').waitFor();
    await visit.seen('settings-list-refused');
    provider.alias('writer-7b', 'text:At noon, by the chosen model.');
    provider.listed = {
      data: [
        { id: 'writer-7b', max_model_len: 16_384 },
        { id: 'writer-70b' },
        { id: 'text-embedding-3-small' },
      ],
    };
    await page.getByRole('button', { name: 'List the models of the server' }).click();
    const choice = field('Models of the server');
    await choice.waitFor();
    expect(await choice.locator('option').allInnerTexts()).toEqual([
      '2 models: choose one',
      'writer-70b',
      'writer-7b',
    ]);
    await choice.selectOption('writer-7b');
    expect(await field('Model').inputValue()).toBe('hosted_vllm/writer-7b');
    expect(await field('Context window').inputValue()).toBe('16384');
    await visit.seen('settings-list');
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByText('no restart is needed').waitFor();
    expect(await ask()).toBe('At noon, by the chosen model.');

    await field('Model').fill('text:By a bare name.');
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByText('answered by hosted_vllm/text:By a bare name.').waitFor();
    expect(await field('Model').inputValue()).toBe('hosted_vllm/text:By a bare name.');
    visit.expectCalm();
  });

  it('disconnect the model', async () => {
    const visit = visits[0]!;
    await visit.open('Settings');
    await visit.page.getByRole('button', { name: 'Disconnect…' }).click();
    const dialog = visit.page.getByRole('dialog');
    await dialog.getByText('Its address and key are deleted.').waitFor();
    await visit.seen('settings-disconnect');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await visit.page.getByText('set, ends with once').waitFor();
    await visit.page.getByRole('button', { name: 'Disconnect…' }).click();
    await dialog.getByRole('button', { name: 'Disconnect', exact: true }).click();
    await visit.page.getByText('No language model: best passages.').waitFor();
    expect(await ask()).toContain('Tuesday');
    visit.expectCalm();
  });

  it('give the lines of .env where only the environment sets the model', async () => {
    await service.terminate();
    await service.restart({ RUNTIME_SETTINGS: 'false' });
    const visit = await start();
    await visit.page.getByText('RUNTIME_SETTINGS=false').waitFor();
    await visit.page.getByText('LLM_MODEL=ollama_chat/llama3.2').waitFor();
    expect(await visit.page.getByRole('button', { name: 'Connect' }).count()).toBe(0);
    await visit.seen('settings-off');
    visit.expectCalm();
  });
});

inBrowser('settings beside documents in a language that the embedding model does not know', () => {
  it('say so, and which model does', async () => {
    const service = await Service.start();
    await new Documents(() => service.client).ingestText(
      'Лампа горит до рассвета. Смотритель спит днём.',
      {},
    );
    const visit = await Visit.start(service.url, service.adminKey, LOOKS[0]!);
    await visit.signIn(service.adminKey);
    await visit.open('Settings');
    await visit.page.getByText('EMBEDDING_MODEL=local-multilingual').waitFor();
    await visit.seen('settings-language');
    visit.expectCalm();
    await visit.close();
    await service.stop();
  });
});
