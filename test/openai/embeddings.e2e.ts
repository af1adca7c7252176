import OpenAI, { type APIError } from 'openai';
import { encode } from 'gpt-tokenizer/encoding/cl100k_base';
import { CompletionService } from '../support/completion-service.js';
import type { SharedService } from '../support/shared-service.js';

describe('embeddings with the official OpenAI client', () => {
  let home: CompletionService<SharedService>;
  let client: OpenAI;
  beforeAll(async () => {
    home = await CompletionService.shared();
    client = new OpenAI({ apiKey: home.service.adminKey, baseURL: `${home.service.url}/v1`, maxRetries: 0 });
  });
  afterAll(() => home.stop());

  it('are those of the passages of the service', async () => {
    const input = ['The blue device weighs two kilograms.', 'Blue <|endoftext|>'];
    const { data, model, usage } = await client.embeddings.create({ model: 'lectern', input });
    expect(data.map(({ index }) => index)).toEqual([0, 1]);
    for (const { embedding } of data) expect(Math.hypot(...embedding)).toBeCloseTo(1, 3);
    expect(usage.prompt_tokens).toBeGreaterThan(10);
    // The client requests base64 by default; numbers must be equal.
    const [first] = (
      await client.embeddings.create({ model, input: input[0] ?? '', encoding_format: 'float' })
    ).data;
    for (const [at, number] of (first?.embedding ?? []).entries()) {
      expect(data[0]?.embedding[at]).toBeCloseTo(number, 5);
    }
  });

  it('of cl100k tokens are those of their text', async () => {
    const texts = ['The blue device weighs two kilograms.', 'Wärme 😀'];
    const tokens = texts.map((text) => encode(text));
    const vectors = async (input: string[] | number[] | number[][]) =>
      (await client.embeddings.create({ model: 'lectern', input })).data.map(({ embedding }) => embedding);
    const expected = await vectors(texts);
    expect(await vectors(tokens)).toEqual(expected);
    expect(await vectors(tokens[1] ?? [])).toEqual(expected.slice(1));
  });

  it('accept every name of the embedding model', async () => {
    for (const model of ['lectern', 'openai/fake', 'fake']) {
      const { data } = await client.embeddings.create({ model, input: 'Blue' });
      expect(data).toHaveLength(1);
      expect(await client.models.retrieve(model)).toMatchObject({ id: model });
    }
  });

  it.each<[object, number, string | null, string]>([
    [{ model: 'gpt-9', input: 'a' }, 404, 'model', 'The configured embedding model is openai/fake'],
    [{ input: [] }, 400, 'input', 'expects 1 to 2048 texts'],
    [{ input: ['a', ' ', 'b'] }, 400, 'input.1', 'text must not be blank'],
    [{ input: ['a', null] }, 400, 'input.1', 'Input should be a valid string'],
    [{ input: 'a\u0000b' }, 400, 'input', 'text must not contain U+0000'],
    [{ input: ['a', encode(' ')] }, 400, 'input.1', 'text must not be blank'],
    [{ input: [[1, 2], []] }, 400, 'input.1', 'tokens of cl100k_base'],
    [{ input: [1, 100_256] }, 400, 'input.1', 'tokens of cl100k_base'],
    [{ input: [1.5] }, 400, 'input.0', 'tokens of cl100k_base'],
    [{ input: 'a', dimensions: 7 }, 400, 'dimensions', 'have 16 dimensions'],
  ])('reject the request %j', async (body, status, param, sentence) => {
    const request = client.embeddings.create({ model: 'lectern', ...body } as never);
    const error = await request.then(
      () => undefined,
      (thrown: unknown) => thrown as APIError,
    );
    expect([error?.status, error?.param]).toEqual([status, param]);
    expect(error?.message).toContain(sentence);
  });
});
