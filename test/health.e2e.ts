import { Service } from './support/service.js';

jest.setTimeout(120_000);

const KEY = 'sk-own-key-of-the-service';
/** Nobody listens at the port `discard`. */
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

  it('is degraded, and tells everybody no more than that', async () => {
    const answer = await service.as(null).get('/health');
    expect([answer.status, answer.json()]).toMatchObject([200, { status: 'degraded' }]);
    const { services } = answer.json() as { services: { name: string; status: string }[] };
    expect(services.filter(({ status }) => status !== 'healthy')).toMatchObject([
      { name: 'llm', status: 'degraded', message: 'no answer' },
    ]);
    expect(answer.text).not.toMatch(/sk-own|127\.0\.0\.1|hidden/);
    expect(service.output).not.toContain(KEY);
  });

  it('goes on answering as ready, and from documents', async () => {
    expect((await service.as(null).get('/health/ready')).status).toBe(200);
    expect((await service.client.post('/retrieve/chunks', { query: 'anything' })).status).toBe(200);
  });
});
