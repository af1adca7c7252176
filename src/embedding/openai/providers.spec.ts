import { ConfigurationError } from '../../config/read-settings.js';
import { embeddingsClient } from './embeddings-client.js';
import { knownModel } from './known-models.js';
import { resolveEndpoint } from './providers.js';

describe('the endpoint of an embedding model', () => {
  it.each([
    ['openai/text-embedding-3-small', undefined, 'text-embedding-3-small', 'https://api.openai.com/v1'],
    ['text-embedding-3-small', undefined, 'text-embedding-3-small', 'https://api.openai.com/v1'],
    ['ollama/nomic-embed-text', undefined, 'nomic-embed-text', 'http://127.0.0.1:11434/v1'],
    ['ollama/bge-m3:latest', 'http://box:11434', 'bge-m3:latest', 'http://box:11434/v1'],
    ['ollama/bge-m3', 'http://box:11434/v1/', 'bge-m3', 'http://box:11434/v1'],
    ['hosted_vllm/BAAI/bge-m3', 'http://box:8000/v1', 'BAAI/bge-m3', 'http://box:8000/v1'],
    ['BAAI/bge-m3', 'http://box:8000/v1', 'BAAI/bge-m3', 'http://box:8000/v1'],
    ['constructor/model', 'http://box/v1', 'constructor/model', 'http://box/v1'],
  ])('for %s at %s is %s at %s', (name, base, model, address) => {
    expect(resolveEndpoint(name, base, 'key')).toMatchObject({ model, base: address });
  });

  it.each([
    ['openai/text-embedding-3-small', undefined, 'EMBEDDING_API_KEY'],
    ['hosted_vllm/BAAI/bge-m3', undefined, 'EMBEDDING_API_BASE'],
    ['azure/deployment', undefined, 'EMBEDDING_API_BASE'],
    ['nobody/model', undefined, 'EMBEDDING_API_BASE'],
  ])('of %s cannot do without a setting', (name, base, variable) => {
    expect(() => resolveEndpoint(name, base, undefined)).toThrow(ConfigurationError);
    expect(() => resolveEndpoint(name, base, undefined)).toThrow(variable);
  });
});

describe('the client of Azure', () => {
  const request = async (base: string) => {
    const client = embeddingsClient({ provider: 'azure', model: 'my-deployment', base }, 'azure-key');
    const { req, url } = await client.buildRequest({
      method: 'post',
      path: '/embeddings',
      body: { model: 'my-deployment', input: 'text' },
    });
    return { url, key: req.headers.get('api-key'), authorization: req.headers.get('authorization') };
  };

  it('calls the deployment with the API version of the address', async () => {
    expect(await request('https://box.openai.azure.com/?api-version=2025-01-01')).toEqual({
      url: 'https://box.openai.azure.com/openai/deployments/my-deployment/embeddings?api-version=2025-01-01',
      key: 'azure-key',
      authorization: null,
    });
  });

  it('calls the versionless API when that is the address', async () => {
    expect(await request('https://box.openai.azure.com/openai/v1/')).toEqual({
      url: 'https://box.openai.azure.com/openai/v1/embeddings',
      key: 'azure-key',
      authorization: null,
    });
  });
});

describe('what is known about a model', () => {
  it.each([
    ['text-embedding-3-large', { dimensions: 3_072 }],
    ['nomic-embed-text:v1.5', { queryPrefix: 'search_query: ' }],
    ['intfloat/multilingual-e5-large', { documentPrefix: 'passage: ' }],
    ['BAAI/bge-large-en-v1.5', { queryPrefix: 'Represent this sentence for searching relevant passages: ' }],
  ])('goes by its name: %s', (name, facts) => {
    expect(knownModel(name)).toMatchObject(facts);
  });

  it.each(['some-model', 'intfloat/multilingual-e5-large-instruct', 'my-nomic-embed-text'])(
    'is nothing for %s',
    (name) => {
      expect(knownModel(name)).toEqual({});
    },
  );
});
