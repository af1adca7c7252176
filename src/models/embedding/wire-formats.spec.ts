import {
  fakeVector,
  startFakeEmbeddings,
  type FakeAnswer,
  type FakeEmbeddings,
  type ReceivedRequest,
} from '../../../test/support/fake-embeddings.mjs';
import { type EmbeddingFormat, PROVIDERS } from '../providers/providers.js';
import { HttpEmbedder } from './http-embedder.js';

const DIMENSIONS = 16;

const refused = (message: string): FakeAnswer => ({ status: 400, json: { error: { message } } });

/** Refuses what Voyage refuses, and answers in its format. */
function voyage({ path, body }: ReceivedRequest): FakeAnswer | undefined {
  if (path !== '/v1/embeddings') return { status: 404 };
  if (body['encoding_format'] === 'float') return refused('Value float for encoding_format is not supported');
  if ('dimensions' in body) return refused('Argument dimensions is not supported');
  return undefined;
}

function nvidia({ body }: ReceivedRequest): FakeAnswer | undefined {
  return ['query', 'passage'].includes(String(body['input_type']))
    ? undefined
    : refused("'input_type' parameter is required for asymmetric models");
}

function cohere({ path, body }: ReceivedRequest): FakeAnswer {
  if (path !== '/v1/embed') return { status: 404 };
  const texts = body['texts'] as string[] | undefined;
  if (texts === undefined || texts.length > 96) return refused('texts: 1 to 96');
  if (body['input_type'] === undefined) return refused('input_type is required');
  return {
    status: 200,
    json: {
      id: '1',
      embeddings: { float: texts.map((text) => fakeVector(text, DIMENSIONS)) },
      meta: { billed_units: { input_tokens: texts.length } },
    },
  };
}

interface Spelling {
  readonly model: string;
  /** Answers a call, or refuses it like the provider; undefined: the answer has OpenAI's format. */
  readonly answer: (request: ReceivedRequest) => FakeAnswer | undefined;
  /** Values of `input_type` for a question and for a passage. */
  readonly query: string;
  readonly document: string;
}

/** A server for each format other than OpenAI's. */
const SPELLINGS: Readonly<Record<Exclude<EmbeddingFormat, 'openai'>, Spelling>> = {
  voyage: { model: 'voyage/voyage-3.5', answer: voyage, query: 'query', document: 'document' },
  nvidia: {
    model: 'nvidia_nim/nvidia/nv-embedqa-e5-v5',
    answer: nvidia,
    query: 'query',
    document: 'passage',
  },
  cohere: {
    model: 'cohere/embed-v4.0',
    answer: cohere,
    query: 'search_query',
    document: 'search_document',
  },
};

describe('wire formats of embedding providers', () => {
  let fake: FakeEmbeddings | undefined;
  afterEach(() => fake?.close());

  const connect = async (
    model: string,
    answer: (request: ReceivedRequest) => FakeAnswer | undefined,
    settings: Partial<Parameters<typeof HttpEmbedder.connect>[0]> = {},
  ) => {
    fake = await startFakeEmbeddings({ dimensions: DIMENSIONS, answer });
    return HttpEmbedder.connect({
      EMBEDDING_MODEL: model,
      EMBEDDING_API_BASE: fake.url,
      EMBEDDING_API_KEY: 'sk-spec-0123456789abcdef',
      EMBEDDING_DIMENSIONS: DIMENSIONS,
      EMBEDDING_BATCH_SIZE: 2_048,
      EMBEDDING_COSINE_FLOOR: undefined,
      ...settings,
    });
  };

  it('are all tried here, against a server that refuses what the provider refuses (SPELLINGS)', () => {
    const formats = new Set(Object.values(PROVIDERS).map(({ embeds }) => embeds));
    expect(['openai', ...Object.keys(SPELLINGS)].sort()).toEqual([...formats].sort());
  });

  it.each(Object.values(SPELLINGS))('embeds questions and passages with $model, each as what it is', async (spelling) => {
    const { model, answer, query, document } = spelling;
    const embedder = await connect(model, answer);
    const [passage] = await embedder.embedDocuments(['The harbour lamp is lit at dusk.', 'Second.']);
    const question = await embedder.embedQuery('The harbour lamp is lit at dusk.');
    expect(passage).toHaveLength(DIMENSIONS);
    expect(question).toEqual(passage);
    expect(fake?.requests.map(({ body }) => body['input_type'])).toEqual([document, query]);
  });

  it.each([
    ['voyage/voyage-3.5', voyage, 'output_dimension'],
    ['nvidia_nim/nvidia/llama-3.2-nv-embedqa-1b-v2', nvidia, 'dimensions'],
    ['openai/text-embedding-3-small', () => undefined, 'dimensions'],
  ])('asks %s for another vector length in its own words', async (model, answer, member) => {
    const shortened = (request: ReceivedRequest): FakeAnswer | undefined => {
      const refusal = answer(request);
      if (refusal !== undefined) return refusal;
      const length = request.body[member] === undefined ? DIMENSIONS : 8;
      const texts = request.body['input'] as string[];
      return {
        status: 200,
        json: { data: texts.map((text, index) => ({ index, embedding: fakeVector(text, length) })) },
      };
    };
    const embedder = await connect(model, shortened, { EMBEDDING_DIMENSIONS: 8 });
    expect(await embedder.embedQuery('harbour')).toHaveLength(8);
    expect(fake?.requests.at(-1)?.body[member]).toBe(8);
  });

  it('sends no more texts in a call than the provider accepts', async () => {
    const embedder = await connect('cohere/embed-v4.0', cohere);
    const texts = Array.from({ length: 100 }, (_, index) => `text ${index}`);
    expect(await embedder.embedDocuments(texts)).toHaveLength(100);
    expect(fake?.requests.map(({ body }) => (body['texts'] as string[]).length).sort()).toEqual([4, 96]);
  });

  it('reports a short answer', async () => {
    const embedder = await connect('cohere/embed-v4.0', () => ({
      status: 200,
      json: { embeddings: { float: [] } },
    }));
    await expect(embedder.embedQuery('harbour')).rejects.toThrow('a different number of items');
  });
});
