import { providerClient, type Endpoint } from './client.js';
import { parseModelName, PROVIDERS, type ProviderName } from './providers.js';

describe('providers', () => {
  it('need no name resolution for a server on this machine', () => {
    const own = Object.values(PROVIDERS).filter(({ needsKey }) => !needsKey);
    const hosts = own.flatMap(({ base }) => (base === null ? [] : new URL(base).hostname));
    expect(new Set(hosts)).toEqual(new Set(['127.0.0.1']));
  });

  it.each([
    ['openai/gpt-4o', 'completion', { provider: 'openai', name: 'gpt-4o' }],
    ['hosted_vllm/BAAI/bge-m3', 'embedding', { provider: 'hosted_vllm', name: 'BAAI/bge-m3' }],
    ['jina_ai/jina-embeddings-v3', 'embedding', { provider: 'jina_ai', name: 'jina-embeddings-v3' }],
    ['jina_ai/jina-embeddings-v3', 'completion', null],
    ['groq/llama', 'embedding', null],
    ['meta-llama/Llama-3.3-70B', 'completion', null],
    ['constructor/model', 'completion', null],
    ['openai/', 'completion', null],
    ['gpt-4o', 'completion', null],
  ] as const)('parse %s as a model for %s', (name, kind, read) => {
    expect(parseModelName(name, kind)).toEqual(read);
  });
});

describe('providerClient', () => {
  const request = async (endpoint: Partial<Endpoint>, path = '/embeddings') => {
    const client = providerClient({ provider: null, apiBase: '', apiKey: 'the-key', ...endpoint });
    const { req, url } = await client.buildRequest({ method: 'post', path, body: { model: 'm' } });
    return { url, key: req.headers.get('api-key'), authorization: req.headers.get('authorization') };
  };

  it.each<[ProviderName, string, string]>([
    ['openai', 'https://api.openai.com/v1', 'https://api.openai.com/v1/embeddings'],
    ['ollama', 'http://box:11434', 'http://box:11434/v1/embeddings'],
    ['ollama_chat', 'http://box:11434/api/', 'http://box:11434/v1/embeddings'],
    ['ollama', 'http://box:11434/v1/', 'http://box:11434/v1/embeddings'],
  ])('of %s calls %s at %s', async (provider, apiBase, url) => {
    expect(await request({ provider, apiBase })).toEqual({ url, key: null, authorization: 'Bearer the-key' });
  });

  it('sends no key when there is none', async () => {
    const { authorization } = await request({ apiBase: 'http://box/v1', apiKey: null });
    expect(authorization).toBeNull();
  });

  it.each([
    [
      'the API version of the URL',
      'https://box.openai.azure.com/?api-version=2025-01-01',
      'https://box.openai.azure.com/openai/deployments/mine/embeddings?api-version=2025-01-01',
    ],
    [
      'a default version',
      'https://box.openai.azure.com/openai/',
      'https://box.openai.azure.com/openai/deployments/mine/embeddings?api-version=2024-10-21',
    ],
    [
      'the versionless API when the URL has its path',
      'https://box.openai.azure.com/openai/v1/',
      'https://box.openai.azure.com/openai/v1/embeddings',
    ],
  ])('calls the Azure deployment with %s', async (_, apiBase, url) => {
    expect(await request({ provider: 'azure', apiBase, deployment: 'mine' })).toEqual({
      url,
      key: 'the-key',
      authorization: null,
    });
  });
});
