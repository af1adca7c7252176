import { VERSION } from '../../src/config/package-root.js';
import { LAST_MIGRATION } from '../../src/database/migrations/index.js';
import { Documents } from '../support/documents.js';
import { becomesReady, settledHealth } from '../support/health.js';
import { Service } from '../support/service.js';

const KEY = 'sk-own-key-of-the-service';
/** Nothing listens on the port `discard`. */
const ADDRESS = 'http://127.0.0.1:9/hidden';

describe('health, with a language model that cannot be reached,', () => {
  let service: Service;
  beforeAll(async () => {
    service = await Service.start({
      LLM_MODEL: 'hosted_vllm/plain',
      LLM_API_BASE: ADDRESS,
      LLM_API_KEY: KEY,
    });
  });
  afterAll(() => service.stop());

  it('is degraded, without details in the public report', async () => {
    const { answer, report } = await settledHealth(service.as(null), { llm: 'degraded' });
    expect([answer.status, report.status]).toEqual([200, 'degraded']);
    expect(report.services.filter(({ status }) => status !== 'healthy')).toMatchObject([
      { name: 'llm', status: 'degraded', message: 'no response' },
    ]);
    expect(answer.text).not.toMatch(/sk-own|127\.0\.0\.1|hidden/);
    expect(service.output).not.toContain(KEY);
  });

  it('tells only whether it is up to those without a key', async () => {
    // A proxy on this machine forwards for others.
    const headers = { 'x-forwarded-for': '203.0.113.7' };
    const answer = await service.as(null).get('/health', { headers });
    expect([answer.status, answer.json()]).toEqual([
      200,
      { status: 'healthy', services: [], timestamp: expect.any(String) as string },
    ]);
    const wrong = await service.as('wrong').get('/health', { headers });
    expect(wrong.json()).toMatchObject({ status: 'healthy', services: [] });
    const known = await service.client.get('/health', { headers });
    expect(known.json()).toMatchObject({
      status: 'degraded',
      release: { version: VERSION, schema: LAST_MIGRATION },
    });
    expect(known.text).toContain('"llm"');
  });

  it('stays ready, and retrieval works', async () => {
    await becomesReady(service.as(null));
    expect((await service.client.post('/retrieve/chunks', { query: 'anything' })).status).toBe(200);
  });
});

describe('health, with documents outside the vocabulary of the embedding model,', () => {
  let service: Service;
  beforeAll(async () => {
    service = await Service.start();
    const documents = new Documents(() => service.client);
    for (const content of [
      'يمكن أن تبقى البضائع في الميناء ثلاثين يوما.',
      'الرصيف مفتوح كل يوم من السادسة صباحا.',
    ]) {
      await documents.ingestText(content);
    }
  });
  afterAll(() => service.stop());

  const languages = async (key: string | null): Promise<unknown> => {
    const expected: Record<string, string> = key === service.adminKey ? { languages: 'degraded' } : {};
    const { answer, report } = await settledHealth(service.as(key), expected);
    return [answer.status, report.services.find(({ name }) => name === 'languages')];
  };

  it('reports the language and the setting to operators only', async () => {
    expect(await languages(service.adminKey)).toEqual([
      200,
      expect.objectContaining({
        status: 'degraded',
        message: expect.stringMatching(
          / in Arabic .* EMBEDDING_MODEL=local-multilingual .*lectern reindex/,
        ) as string,
      }),
    ]);
    expect(await languages(null)).toEqual([200, undefined]);
    expect(await languages('a key that nobody gave out')).toEqual([200, undefined]);
  });
});
