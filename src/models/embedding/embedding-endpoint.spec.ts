import { ConfigurationError } from '../../config/read-settings.js';
import { providerClient } from '../providers/client.js';
import { knownModel } from './known-models.js';
import { embeddingEndpoint } from './http-embedder.js';

const endpointOf = (name: string, base?: string, key?: string) =>
  embeddingEndpoint({ EMBEDDING_MODEL: name, EMBEDDING_API_BASE: base, EMBEDDING_API_KEY: key });

describe('embeddingEndpoint', () => {
  it.each([
    ['openai/text-embedding-3-small', undefined, 'text-embedding-3-small', 'https://api.openai.com/v1'],
    ['text-embedding-3-small', undefined, 'text-embedding-3-small', 'https://api.openai.com/v1'],
    ['ollama/nomic-embed-text', undefined, 'nomic-embed-text', 'http://127.0.0.1:11434/v1'],
    ['ollama/bge-m3:latest', 'http://box:11434', 'bge-m3:latest', 'http://box:11434/v1'],
    ['ollama/bge-m3', 'http://box:11434/v1/', 'bge-m3', 'http://box:11434/v1'],
    ['hosted_vllm/BAAI/bge-m3', 'http://box:8000/v1', 'BAAI/bge-m3', 'http://box:8000/v1'],
    ['BAAI/bge-m3', 'http://box:8000/v1', 'BAAI/bge-m3', 'http://box:8000/v1'],
    ['constructor/model', 'http://box/v1', 'constructor/model', 'http://box/v1'],
  ])('resolves %s with the address %s to %s at %s', (model, base, name, address) => {
    const endpoint = endpointOf(model, base, 'key');
    expect([endpoint.name, providerClient(endpoint).baseURL]).toEqual([name, address]);
  });

  it.each([
    ['openai/text-embedding-3-small', undefined, 'EMBEDDING_API_KEY'],
    ['hosted_vllm/BAAI/bge-m3', undefined, 'EMBEDDING_API_BASE'],
    ['azure/deployment', undefined, 'EMBEDDING_API_BASE'],
    ['nobody/model', undefined, 'EMBEDDING_API_BASE'],
    ['groq/model', undefined, 'EMBEDDING_API_BASE'],
  ])('reports the missing setting of %s', (name, base, variable) => {
    expect(() => endpointOf(name, base)).toThrow(ConfigurationError);
    expect(() => endpointOf(name, base)).toThrow(variable);
  });
});

describe('knownModel', () => {
  it.each([
    ['text-embedding-3-large', { dimensions: 3_072 }],
    ['nomic-embed-text:v1.5', { queryPrefix: 'search_query: ' }],
    ['intfloat/multilingual-e5-large', { documentPrefix: 'passage: ', cosineFloor: 0.5 }],
    ['all-minilm:l6-v2', { cosineFloor: -1, english: true }],
    ['thenlper/gte-base', { english: true }],
    ['Alibaba-NLP/gte-base-en-v1.5', { english: true }],
    ['BAAI/bge-large-en-v1.5', { queryPrefix: 'Represent this sentence for searching relevant passages: ' }],
  ])('recognises %s', (name, facts) => {
    expect(knownModel(name)).toMatchObject(facts);
  });

  it.each([
    'some-model',
    'intfloat/multilingual-e5-large-instruct',
    'my-nomic-embed-text',
    'gte-multilingual-base',
  ])('does not recognise %s', (name) => {
    expect(knownModel(name)).toEqual({});
  });
});
