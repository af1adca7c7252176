import { chunkOf } from '../../test/support/chunks.js';
import { USUAL_ANSWER } from '../../test/support/fake-provider/answers.js';
import { AskedManual, MANUAL, eventsOf, requestOf, textOf } from '../../test/support/query-service.js';
import { currentTimings, runInContext } from '../request/request-context.js';

const SCHEMA = { type: 'object', required: ['weight'], properties: { weight: { type: 'integer' } } };

describe('answering a question', () => {
  const asked = new AskedManual();
  const { ask, retrieval, stored, wired } = asked;

  it('returns the answer with sources, usage and metadata', async () => {
    const response = await ask('plain', {});
    expect(response).toEqual({
      completion: USUAL_ANSWER,
      usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
      finish_reason: 'stop',
      sources: [
        expect.objectContaining({ document_id: MANUAL[0]?.documentId, chunk_number: 3, score: 0.8 }),
        expect.objectContaining({ document_id: MANUAL[0]?.documentId, chunk_number: 4, score: null }),
      ],
      metadata: {
        model: 'plain',
        provider: 'hosted_vllm',
        context_chunks: 2,
        documents_processing: 0,
        dropped_chunks: 0,
        timings_ms: {
          embed: 1,
          db: 2,
          llm: expect.any(Number) as number,
          total: expect.any(Number) as number,
        },
      },
    });
  });

  it.each([
    [{ base_url: 'http://10.0.0.1', api_key: 'k' }, 'base_url'],
    [{ api_base: 'http://10.0.0.1', api_key: 'k' }, 'api_base'],
    [{ base_url: 'http://10.0.0.1', api_base: 'http://10.0.0.1', api_key: 'k' }, 'api_base'],
    [{ model: 'ollama/llama3' }, 'api_base'],
  ])('rejects %j at its location', async (llm_config, member) => {
    const refusal = { items: [{ loc: ['body', 'llm_config', member] }] };
    await expect(ask('plain', { llm_config })).rejects.toMatchObject(refusal);
    const request = requestOf({ query: 'How heavy is it?', llm_config });
    const stream = wired('plain').service.stream(asked.scope, request, () => undefined);
    await expect(eventsOf(stream)).rejects.toMatchObject(refusal);
  });

  it('rejects a model at the location in the request', async () => {
    const embedded = { LLM_MODEL: 'extractive', LLM_API_BASE: '' };
    const request = requestOf({ query: 'How heavy is it?', llm_config: { model_name: 'gpt-4o' } });
    await expect(wired('x', embedded).service.complete(asked.scope, request)).rejects.toMatchObject({
      items: [{ loc: ['body', 'llm_config', 'model_name'] }],
    });
  });

  it('streams the same answer', async () => {
    const prepared: object[] = [];
    const request = requestOf({ query: 'How heavy is it?' });
    const events = await runInContext(undefined, () =>
      eventsOf(wired('pieces:3').service.stream(asked.scope, request, () => prepared.push(currentTimings()))),
    );
    expect(textOf(events)).toBe(USUAL_ANSWER);
    const { completion: _, ...rest } = await ask('pieces:3', {});
    expect(events.at(-1)).toEqual({
      type: 'done',
      ...rest,
      metadata: Object.assign({}, rest.metadata, { timings_ms: expect.any(Object) as object }),
    });
    expect(prepared).toEqual([expect.objectContaining({ embed: 1, db: 2 })]);
  });

  it('prefers parameters of the request to those of llm_config', async () => {
    await ask('plain', {
      max_tokens: 5,
      temperature: 0,
      llm_config: { max_tokens: 9, temperature: 1, top_p: 0.5 },
    });
    expect(asked.provider.last.body).toMatchObject({ max_tokens: 5, temperature: 0, top_p: 0.5 });
    await ask('plain', { llm_config: { max_tokens: 9 } });
    expect(asked.provider.last.body).toMatchObject({ max_tokens: 9 });
    expect(asked.provider.last.body).not.toHaveProperty('temperature');
  });

  it('adds a note that nothing was found, and answers', async () => {
    retrieval.chunks = [];
    await expect(ask('plain', {})).resolves.toMatchObject({ completion: USUAL_ANSWER, sources: [] });
    expect(asked.provider.last.question).toContain('No passages were found');
  });

  it('drops the lowest-ranked chunks that do not fit, and reports their number', async () => {
    retrieval.chunks = Array.from({ length: 1_000 }, (_, chunkNumber) =>
      chunkOf({ chunkNumber, content: `word ${chunkNumber} `.repeat(100) }),
    );
    const { sources, metadata } = await ask('plain', { llm_config: { context_window: 4_096 }, k: 1_000 });
    expect(sources.map(({ chunk_number }) => chunk_number)).toEqual(sources.map((_, index) => index));
    expect(sources.length).toBeGreaterThan(5);
    expect(metadata.context_chunks + metadata.dropped_chunks).toBe(1_000);
    expect(metadata.context_chunks).toBe(sources.length);
  });

  it('adds a note if passages were found, but none fits', async () => {
    retrieval.chunks = [chunkOf({ content: 'word '.repeat(5_000) })];
    const { sources, metadata } = await ask('plain', { llm_config: { context_window: 2_048 } });
    expect(sources).toEqual([]);
    expect(metadata).toMatchObject({
      dropped_chunks: 1,
      notes: ['None of the 1 passages found fits into the context window of 2048 tokens'],
    });
  });

  describe('with citations', () => {
    const behaviour = 'text:It weighs two kilograms [[1]] and is blue [[2]][[9]]. Odd [[x]].';

    it('turns markers into labels with offsets and quotes', async () => {
      const { completion, metadata } = await ask(behaviour, { inline_citations: true });
      expect(completion).toBe(
        'It weighs two kilograms [manual.pdf, page 4] and is blue [manual.pdf, page 5]. Odd.',
      );
      expect(metadata.citations).toEqual([
        {
          start: 24,
          end: 44,
          text: '[manual.pdf, page 4]',
          document_id: MANUAL[0]?.documentId,
          chunk_number: 3,
          filename: 'manual.pdf',
          page_number: 4,
          quote: 'The device weighs two kilograms.',
        },
        expect.objectContaining({ text: '[manual.pdf, page 5]', chunk_number: 4, quote: 'It is blue.' }),
      ]);
    });

    it('streams the same text and offsets', async () => {
      const request = requestOf({ query: 'How heavy is it?', inline_citations: true });
      const events = await eventsOf(
        wired(`pieces:2|${behaviour}`).service.stream(asked.scope, request, () => undefined),
      );
      const { completion, metadata } = await ask(behaviour, { inline_citations: true });
      expect(textOf(events)).toBe(completion);
      expect(events.at(-1)).toMatchObject({ metadata: { citations: metadata.citations } });
    });

    it('keeps the text unchanged if citations are not requested', async () => {
      await expect(ask('text:As is [[1]] [[9]].', {})).resolves.toMatchObject({
        completion: 'As is [[1]] [[9]].',
      });
    });
  });

  describe('with a schema', () => {
    it('returns a valid object', async () => {
      await expect(ask('obeys', { schema: SCHEMA })).resolves.toMatchObject({ completion: { weight: 1 } });
    });

    it('streams the JSON and ends with the object', async () => {
      const request = requestOf({ query: 'How heavy is it?', schema: SCHEMA });
      const events = await eventsOf(wired('obeys').service.stream(asked.scope, request, () => undefined));
      expect(JSON.parse(textOf(events))).toEqual({ weight: 1 });
      expect(events.at(-1)).toMatchObject({ type: 'done', completion: { weight: 1 } });
    });

    it('fails with 502 after one repair, and stores nothing', async () => {
      await expect(ask('never-obeys', { schema: SCHEMA, chat_id: 'c' })).rejects.toMatchObject({
        status: 502,
      });
      expect(asked.provider.completions).toHaveLength(2);
      await expect(stored('c')).resolves.toEqual([]);
    });

    it('stores the JSON text in the chat', async () => {
      await ask('obeys', { schema: SCHEMA, chat_id: 'c' });
      await expect(stored('c')).resolves.toEqual(['user: How heavy is it?', 'assistant: {"weight":1}']);
    });

    it('rejects a schema whose validation does not terminate', async () => {
      await expect(ask('json:{"a": {}}', { schema: { $ref: '#' } })).rejects.toMatchObject({ status: 422 });
    });
  });

  describe('with images', () => {
    const IMAGE =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const pageOf = (number: number) =>
      chunkOf({
        imageKey: `data:image/png;base64,PAGE${number}`,
        contentType: 'image/png',
        content: `The lamp of page ${number} is lit.`,
        chunkNumber: number - 1,
        pageNumber: number,
      });

    it('sends page images to a model with vision, in order', async () => {
      retrieval.chunks = [pageOf(2), chunkOf({ content: 'A lamp.' }), pageOf(1)];
      const { sources } = await ask('plain', { llm_config: { vision: true } });
      const [text, ...images] = asked.provider.last.body.messages.at(-1)?.content as readonly {
        text?: string;
      }[];
      expect(images).toMatchObject([
        { type: 'image_url', image_url: { url: 'data:image/png;base64,PAGE2' } },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,PAGE1' } },
      ]);
      expect(text?.text).not.toContain('is lit');
      expect(text?.text).toMatch(
        /passage 1: .*page 2", attached[^]*passage 2: .*\nA lamp[^]*passage 3: .*page 1", att/,
      );
      expect(sources).toHaveLength(3);
    });

    it('sends their text to a model without vision', async () => {
      retrieval.chunks = [pageOf(2)];
      await ask('plain', {});
      expect(asked.provider.last.body.messages.at(-1)?.content).toContain('The lamp of page 2 is lit.');
    });

    it('omits a page whose image was deleted meanwhile', async () => {
      retrieval.chunks = [{ ...pageOf(2), imageKey: '' }, pageOf(1)];
      const { sources, metadata } = await ask('plain', { llm_config: { vision: true } });
      expect(sources).toMatchObject([{ chunk_number: 0 }]);
      expect(metadata).toMatchObject({ context_chunks: 1, dropped_chunks: 1 });
    });

    it('accepts a query image', async () => {
      const body = { query: null, query_image: IMAGE, use_colpali: true, chat_id: 'c' };
      await ask('plain', { ...body, llm_config: { vision: true } });
      expect(JSON.stringify(asked.provider.last.body.messages.at(-1)?.content)).toContain(`base64,${IMAGE}`);
      await expect(stored('c')).resolves.toEqual(['user: [image]', `assistant: ${USUAL_ANSWER}`]);
      await expect(ask('plain', body)).rejects.toMatchObject({ items: [{ loc: ['body', 'query_image'] }] });
    });
  });
});
