import { configuredModel } from '../../../test/support/configured-model.js';
import { startFakeServer, type FakeServer, type JsonAnswer } from '../../../test/support/fake-server.js';
import { LlmHealth } from './llm-health.js';

const KEY = 'sk-own-key-of-the-service';

describe('the health of the language model', () => {
  let answer: JsonAnswer | undefined;
  let server: FakeServer;
  beforeAll(async () => {
    server = await startFakeServer(() => answer);
  });
  afterAll(() => server.close());

  const health = (environment: Record<string, string> = {}): LlmHealth =>
    new LlmHealth(
      configuredModel({
        LLM_MODEL: 'hosted_vllm/plain',
        LLM_API_BASE: `${server.url}/v1`,
        LLM_API_KEY: KEY,
        ...environment,
      }),
    );

  it.each([
    ['lists its models', { json: { data: [] } }],
    ['does not list its models', { status: 404 }],
    ['takes no GET', { status: 405 }],
  ])('is healthy if the provider %s', async (_, answered) => {
    answer = answered;
    await expect(health().find()).resolves.toEqual({ status: 'healthy', message: 'plain' });
  });

  it.each([
    ['refuses the key', { status: 401, json: { error: { message: `bad key ${KEY}` } } }, 502],
    ['limits the rate', { status: 429 }, 429],
    ['fails', { status: 500 }, 502],
    ['redirects', { status: 302, headers: { location: 'http://127.0.0.1:9/' } }, 502],
    ['is silent', undefined, 504],
  ])('is unhealthy if the provider %s', async (_, answered, status) => {
    answer = answered;
    await expect(health().find()).rejects.toMatchObject({ status });
  });

  it('is cached for many reports, and checked without a completion', async () => {
    answer = { json: { data: [] } };
    const before = server.requests.length;
    const one = health();
    await Promise.all([one.find(), one.find()]);
    await one.find();
    expect(server.requests.slice(before).map(({ path }) => path)).toEqual(['/v1/models']);
  });

  it('is checked with the key of an Azure resource', async () => {
    answer = { json: { data: [] } };
    await health({ LLM_MODEL: 'azure/mine', LLM_API_BASE: server.url }).find();
    expect(server.requests.at(-1)).toMatchObject({
      path: expect.stringMatching(/^\/openai\/models\?api-version=/) as unknown,
      headers: { 'api-key': KEY },
    });
  });

  it('is healthy without a model', async () => {
    const before = server.requests.length;
    await expect(health({ LLM_MODEL: 'extractive' }).find()).resolves.toMatchObject({ status: 'healthy' });
    expect(server.requests).toHaveLength(before);
  });
});
