import OpenAI, { type APIError, AuthenticationError, BadRequestError, RateLimitError } from 'openai';
import { CompletionService } from '../support/completion-service.js';
import type { SharedService } from '../support/shared-service.js';
import { Documents, type DocumentRecord } from '../support/documents.js';
import { PROVIDER_WORDS } from '../support/fake-provider/failures.js';
import { until } from '../support/until.js';

const QUESTION = 'How many kilograms does the blue device weigh?';
const ANSWER = 'It weighs two kilograms [[1]].';
const ONE_PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const user = (content: string) => ({ role: 'user', content }) as const;
const words = { type: 'text', text: QUESTION } as const;
const pixel = {
  type: 'image_url',
  image_url: { url: `data:image/png;base64,${ONE_PIXEL}` },
} as const;

/** Members that this service adds to the protocol. */
interface Extension {
  readonly sources: readonly {
    readonly document_id: string;
    readonly chunk_number: number;
    readonly score: number;
  }[];
  /** Values are strings in the protocol. */
  readonly metadata: Readonly<Record<string, string>>;
}

describe('chat completions with the official OpenAI client', () => {
  let home: CompletionService<SharedService>;
  let client: OpenAI;
  let weights: DocumentRecord;
  let colours: DocumentRecord;
  beforeAll(async () => {
    home = await CompletionService.shared();
    client = new OpenAI({ apiKey: home.service.adminKey, baseURL: `${home.service.url}/v1`, maxRetries: 0 });
    const documents = new Documents(() => home.service.client);
    weights = await documents.ingestText('The blue device weighs two kilograms.', {
      filename: 'weights.txt',
      folder_name: '/devices/weights',
      metadata: { year: 2025 },
    });
    colours = await documents.ingestText('The device is blue as the sea.', {
      filename: 'colours.txt',
      folder_name: '/devices/colours',
      metadata: { year: 2024 },
      end_user_id: 'ann',
    });
  });
  afterAll(() => home.stop());
  beforeEach(() => {
    home.provider.forget();
  });

  /** The configured model with this behaviour. */
  const behaving = (model: string): object => ({ llm_config: { model } });
  const sourcesOf = (answer: unknown): string[] =>
    (answer as Extension).sources.map(({ document_id }) => document_id);

  /** Official clients declare strings, and the Python client warns about any other type. */
  const expectStrings = (metadata: object): void => {
    expect(Object.values(metadata).filter((value) => typeof value !== 'string')).toEqual([]);
    expect(Object.keys(metadata).length).toBeGreaterThan(3);
  };

  it('creates a completion with sources', async () => {
    const answer = await client.chat.completions.create({
      model: 'lectern',
      messages: [user(QUESTION)],
      ...behaving(`text:${ANSWER}`),
      metadata: { inline_citations: 'true', folder_name: '/devices/weights' },
    });
    expect(answer).toMatchObject({
      object: 'chat.completion',
      model: 'lectern',
      choices: [
        {
          index: 0,
          finish_reason: 'stop',
          message: { role: 'assistant', content: 'It weighs two kilograms [weights.txt].' },
        },
      ],
      usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
      sources: [{ document_id: weights.external_id, chunk_number: 0 }],
    });
    const { metadata } = answer as unknown as Extension;
    expectStrings(metadata);
    expect(metadata['model']).toBe(`text:${ANSWER}`);
    expect(JSON.parse(metadata['context_chunks'] ?? '')).toBe(1);
    expect(JSON.parse(metadata['citations'] ?? '')).toMatchObject([{ text: '[weights.txt]' }]);
  });

  it('streams the same, with usage in the last chunk on request', async () => {
    const stream = await client.chat.completions.create({
      model: 'lectern',
      messages: [user(QUESTION)],
      stream: true,
      stream_options: { include_usage: true },
      ...behaving(`pieces:3|text:${ANSWER}`),
      metadata: { inline_citations: 'true', folder_name: '/devices/weights' },
    });
    const chunks = [];
    for await (const chunk of stream) chunks.push(chunk);
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe(
      'It weighs two kilograms [weights.txt].',
    );
    expect(chunks.length).toBeGreaterThan(5);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 18 } });
    const closing = chunks.at(-2);
    expect(closing?.choices[0]?.finish_reason).toBe('stop');
    expect(sourcesOf(closing)).toEqual([weights.external_id]);
    expectStrings((closing as unknown as Extension).metadata);
  });

  it("streams through the client's own runner", async () => {
    const runner = client.chat.completions.stream({ model: 'hosted_vllm/plain', messages: [user(QUESTION)] });
    expect((await runner.finalChatCompletion()).choices[0]?.message.content).toMatch(/two kilograms/);
  });

  it('works without a model', async () => {
    const answer = await client.chat.completions.create({ model: 'extractive', messages: [user(QUESTION)] });
    expect(answer.choices[0]?.message.content).toContain('weighs two kilograms');
    expect(home.provider.completions).toEqual([]);
  });

  it.each<[string, Record<string, string>, () => readonly DocumentRecord[]]>([
    ['a folder', { folder_name: '/devices/colours' }, () => [colours]],
    [
      'a folder and those below it',
      { folder_name: '/devices', folder_depth: '-1' },
      () => [weights, colours],
    ],
    [
      'several folders',
      { folder_name: '["/devices/weights", "/devices/colours"]' },
      () => [weights, colours],
    ],
    ['a filter', { filters: '{"year": {"$gte": 2025}}' }, () => [weights]],
    ['an end user', { end_user_id: 'ann' }, () => [colours]],
    ['the number of chunks', { k: '1' }, () => [weights]],
    ['a folder that does not exist', { folder_name: '/nothing', ticket: '42' }, () => []],
  ])('selects by metadata: %s', async (_, metadata, expected) => {
    const answer = await client.chat.completions.create({
      model: 'lectern',
      messages: [user(QUESTION)],
      metadata,
    });
    expect(sourcesOf(answer).sort()).toEqual(
      expected()
        .map(({ external_id }) => external_id)
        .sort(),
    );
  });

  it('prefers top-level fields over metadata', async () => {
    const answer = await client.chat.completions.create({
      model: 'lectern',
      messages: [user(QUESTION)],
      metadata: { folder_name: '/nothing', k: '1' },
      folder_name: ['/devices/colours'],
    } as never);
    expect(sourcesOf(answer)).toEqual([colours.external_id]);
  });

  it("accepts schema, prompts and query image of POST /query beside the protocol's fields", async () => {
    const schema = { type: 'object', required: ['weight'], properties: { weight: { type: 'integer' } } };
    const ask = (more: object) =>
      client.chat.completions.create({
        model: 'lectern',
        messages: [{ role: 'system', content: 'Be brief.' }, user(QUESTION)],
        ...behaving('obeys|vision'),
        ...more,
      } as OpenAI.ChatCompletionCreateParamsNonStreaming);
    const shaped = await ask({ schema });
    expect(JSON.parse(shaped.choices[0]?.message.content ?? '')).toEqual({ weight: 1 });

    await ask({ prompt_overrides: { query: { prompt_template: 'Ask: {question} {context}' } } });
    expect(home.provider.last.question).toMatch(/^Ask: How many/);
    expect(home.provider.last.texts('system')).toEqual(['Be brief.']);
    await ask({ prompt_overrides: { query: { system_prompt: 'Speak as a librarian.' } } });
    expect(home.provider.last.texts('system')).toEqual(['Speak as a librarian.\n\nBe brief.']);

    const image = { query_image: ONE_PIXEL, use_colpali: true };
    await ask({ ...image, llm_config: { model: 'plain', vision: true } });
    const [, asked, question] = home.provider.last.body.messages;
    expect(asked).toEqual(user(QUESTION));
    expect(JSON.stringify(question)).toContain(`"image_url":{"url":"data:image/png;base64,${ONE_PIXEL}`);
  });

  it('sends images of the question and of the conversation to a model that reads them', async () => {
    await client.chat.completions.create({
      model: 'lectern',
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'What is the first?' }, pixel] },
        { role: 'assistant', content: 'A dot.' },
        { role: 'user', content: [words, pixel] },
      ],
      llm_config: { model: 'plain', vision: true },
    } as never);
    const [, first, , question] = home.provider.last.body.messages;
    expect(first?.content).toEqual([{ type: 'text', text: 'What is the first?' }, pixel]);
    expect(question?.content).toEqual([
      { type: 'text', text: expect.stringContaining(QUESTION) as string },
      pixel,
    ]);
  });

  it('sends the conversation to the model, with system messages as instructions', async () => {
    await client.chat.completions.create({
      model: 'lectern',
      messages: [
        { role: 'system', content: 'Answer in one sentence.' },
        user('How long does the warranty of the device last?'),
        { role: 'assistant', content: 'Two years.' },
        { role: 'user', content: [{ type: 'text', text: QUESTION }] },
      ],
      temperature: 0.5,
      top_p: 0.9,
      max_completion_tokens: 50,
      stop: ['END'],
      presence_penalty: 1,
    });
    expect(home.provider.last.body).toMatchObject({
      temperature: 0.5,
      top_p: 0.9,
      max_tokens: 50,
      stop: ['END'],
      presence_penalty: 1,
    });
    expect(home.provider.last.texts('system')).toEqual(['Answer in one sentence.']);
    expect(home.provider.last.texts('assistant')).toEqual(['Two years.']);
    expect(home.provider.last.question).toContain(`Question: ${QUESTION}`);
  });

  it('returns structured output', async () => {
    const schema = { type: 'object', required: ['weight'], properties: { weight: { type: 'integer' } } };
    const answer = await client.chat.completions.create({
      model: 'lectern',
      messages: [user(QUESTION)],
      response_format: { type: 'json_schema', json_schema: { name: 'weight', schema } },
      ...behaving('obeys'),
    });
    expect(JSON.parse(answer.choices[0]?.message.content ?? '')).toEqual({ weight: 1 });
  });

  describe('maps errors to its exceptions:', () => {
    const failure = async (body: object, as = client): Promise<APIError> => {
      const request = as.chat.completions.create({
        model: 'lectern',
        messages: [user(QUESTION)],
        ...body,
      } as OpenAI.ChatCompletionCreateParamsNonStreaming);
      return request.then(
        () => {
          throw new Error('it went well');
        },
        (error: unknown) => error as APIError,
      );
    };

    it('an invalid key', async () => {
      const stranger = new OpenAI({ apiKey: 'sk-wrong', baseURL: client.baseURL, maxRetries: 0 });
      const error = await failure({}, stranger);
      expect(error).toBeInstanceOf(AuthenticationError);
      expect([error.status, error.type, error.code]).toEqual([
        401,
        'authentication_error',
        'invalid_api_key',
      ]);
      expect(error.message).toMatch(/^401 The API key/);
    });

    it.each<[object, string]>([
      [{ temperature: 3 }, 'temperature'],
      [{ max_completion_tokens: 0 }, 'max_completion_tokens'],
      [{ max_tokens: 0 }, 'max_tokens'],
      [{ top_p: 7 }, 'top_p'],
      [{ functions: [{ name: 'clock' }] }, 'functions'],
      [{ functions: false }, 'functions'],
      [{ functions: ['text'] }, 'functions'],
      [{ logprobs: true }, 'logprobs'],
      [{ top_logprobs: 3 }, 'top_logprobs'],
      [{ logit_bias: { 50256: -100 } }, 'logit_bias'],
      [{ modalities: ['text', 'audio'] }, 'modalities'],
      [{ audio: { voice: 'ash', format: 'wav' } }, 'audio'],
      [{ web_search_options: {} }, 'web_search_options'],
      [{ web_search_options: { search_context_size: 'low' } }, 'web_search_options'],
      [{ schema: { type: 'nothing' } }, 'schema'],
      [{ schema: {}, response_format: { type: 'json_object' } }, 'schema'],
      [{ prompt_overrides: { query: { prompt_template: 'x' } } }, 'prompt_overrides.query.prompt_template'],
      [
        {
          prompt_overrides: { query: { system_prompt: 3 } },
          messages: [{ role: 'system', content: 'x' }, user(QUESTION)],
        },
        'prompt_overrides.query.system_prompt',
      ],
      [{ query_image: 'x', use_colpali: true }, 'query_image'],
      [{ metadata: { k: '0' } }, 'metadata.k'],
      [{ metadata: { k: 'many' } }, 'metadata.k'],
      [{ metadata: { filters: '{"year": {"$near": 1}}' } }, 'metadata.filters.year.$near'],
      [{ metadata: { filters: '{' } }, 'metadata.filters'],
      [{ metadata: { folder_name: '/a/../b' } }, 'metadata.folder_name'],
      [{ metadata: 'x' }, 'metadata'],
      [{ messages: [] }, 'messages'],
      [{ messages: [user('')] }, 'messages'],
      [{ messages: [user('a\u0000b')] }, 'messages.0.content'],
      [
        { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'x' } }] }] },
        'messages.0.content.0.image_url.url',
      ],
      [
        {
          messages: [
            user(QUESTION),
            { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://a.b/c.png' } }] },
          ],
        },
        'messages.1.content.0.image_url.url',
      ],
      [{ messages: [{ role: 'user', content: [words, { type: 'input_audio' }] }] }, 'messages.0.content.1'],
      [{ messages: [{ role: 'user', content: [words, pixel] }] }, 'messages'],
      [{ messages: [{ role: 'user', content: [pixel] }] }, 'messages.0.content'],
      [{ messages: [{ role: 'system', content: [pixel] }, user(QUESTION)] }, 'messages.0.content'],
      [
        { response_format: { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'nothing' } } } },
        'response_format.json_schema.schema',
      ],
      [{ llm_config: { api_base: 'http://127.0.0.1' } }, 'llm_config.api_base'],
      [{ llm_config: { base_url: 'http://127.0.0.1' } }, 'llm_config.base_url'],
      [{ llm_config: { model: 3 } }, 'llm_config.model'],
      [{ llm_config: { temperature: 3 }, temperature: 1 }, 'llm_config.temperature'],
      [{ llm_config: { context_window: 256 }, messages: [user('word '.repeat(300))] }, 'messages.0.content'],
      [
        {
          llm_config: { context_window: 256 },
          messages: [{ role: 'system', content: 'word '.repeat(300) }, user(QUESTION)],
        },
        'messages.0',
      ],
      [{ llm_config: { context_window: 256 }, max_completion_tokens: 256 }, 'max_completion_tokens'],
      [{ llm_config: { context_window: 256 }, max_tokens: 256 }, 'max_tokens'],
    ])('a body with %j', async (body, param) => {
      const error = await failure(body);
      expect(error).toBeInstanceOf(BadRequestError);
      expect([error.param, error.type]).toEqual([param, 'invalid_request_error']);
      expect(error.message).toContain(param);
    });

    it('a provider that limits the rate', async () => {
      const error = await failure(behaving('status:429|retry-after:600'));
      expect(error).toBeInstanceOf(RateLimitError);
      expect([error.type, error.code]).toEqual(['rate_limit_error', 'rate_limit_exceeded']);
      expect(error.headers?.get('retry-after')).toBe('600');
    });

    it('a provider that fails, before the stream and within it', async () => {
      const before = await failure({ ...behaving('status:401'), stream: true });
      expect([before.status, before.type, before.code]).toEqual([502, 'server_error', null]);
      expect(before.message).not.toContain(PROVIDER_WORDS);
      const stream = await client.chat.completions.create({
        model: 'lectern',
        messages: [user(QUESTION)],
        stream: true,
        ...behaving('breaks'),
      });
      let text = '';
      const reading = (async () => {
        for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
      })();
      await expect(reading).rejects.toThrow(
        /incomplete response|unreadable response|broke off|could not be reached/,
      );
      expect(text.length).toBeGreaterThan(0);
    });
  });

  it('aborts the model call when it disconnects', async () => {
    const stream = await client.chat.completions.create({
      model: 'lectern',
      messages: [user(QUESTION)],
      stream: true,
      ...behaving('tokens:2000|token-delay:5'),
    });
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break;
    await until('the call to the model is cancelled', () => home.provider.last.aborted);
  });
});
