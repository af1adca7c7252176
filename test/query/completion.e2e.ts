import { CompletionService } from '../support/completion-service.js';
import { Documents } from '../support/documents.js';
import { readEvents, streamedText } from '../support/event-stream.js';
import { USUAL_ANSWER } from '../support/fake-provider/answers.js';
import { Random } from '../support/random.js';
import { pause, until } from '../support/until.js';

/** Full sizes: SPLITS=200 DISCONNECTS=50 TURNS=100. */
const SPLITS = Number(process.env['SPLITS'] ?? 12);
const DISCONNECTS = Number(process.env['DISCONNECTS'] ?? 10);
const TURNS = Number(process.env['TURNS'] ?? 10);

const QUESTION = 'How many kilograms does the blue device weigh?';
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

interface Completion {
  readonly completion: string;
  readonly usage: { readonly total_tokens: number };
  readonly sources: readonly { readonly document_id: string; readonly chunk_number: number }[];
  readonly metadata: {
    readonly context_chunks: number;
    readonly dropped_chunks: number;
    readonly citations?: readonly {
      readonly start: number;
      readonly end: number;
      readonly text: string;
      readonly document_id: string;
      readonly chunk_number: number;
      readonly quote: string;
    }[];
  };
}

describe('a completion', () => {
  let home: CompletionService;
  beforeAll(async () => {
    home = await CompletionService.start({ CHUNK_SIZE: '64', CHUNK_OVERLAP: '0' });
    const documents = new Documents(() => home.service.client);
    const folder = { folder_name: '/devices' };
    await documents.ingestText('The blue device weighs two kilograms.', {
      filename: 'weights.txt',
      ...folder,
    });
    await documents.ingestText('The device charges in three hours. 充电需要三小时。', {
      filename: '手册 🚀.txt',
      ...folder,
    });
    await documents.ingestText('The warranty of the device lasts two years.', folder);
  });
  afterAll(() => home.stop());
  beforeEach(() => {
    home.provider.forget();
  });

  function ask(behaviour: string, body: object = {}, signal?: AbortSignal): Promise<Response> {
    const { llm_config: config = {}, ...rest } = body as { llm_config?: object };
    return home.service.client.fetch('POST', '/query', {
      body: { query: QUESTION, llm_config: { model: behaviour, ...config }, ...rest },
      ...(signal === undefined ? {} : { signal }),
    });
  }

  async function complete(behaviour: string, body: object = {}): Promise<Completion> {
    const response = await ask(behaviour, body);
    const text = await response.text();
    expect([response.status, text]).toEqual([200, text]);
    return JSON.parse(text) as Completion;
  }

  const turnsOf = async (chat: string): Promise<{ role: string; content: string; timestamp: string }[]> =>
    (await home.service.client.get(`/chat/${chat}`)).json() as never;

  it(`is the same whole and streamed, at any of ${SPLITS} chunk boundaries`, async () => {
    const answer = `It weighs two kilograms [[1]], 充电三小时 🚀🛰️ [[2, 3]]. Not in a text [[9]] [ghost.pdf, page 2], nor [[x]].
Slipped [1] and 【2†source】; \`list[0]\`, [a link](https://example.com/[1]) and an open [[1`;
    const body = { folder_name: '/devices', inline_citations: true, k: 3 };
    const whole = await complete(`text:${answer}`, body);
    expect(whole.completion).toContain('It weighs two kilograms [');
    expect(whole.completion).not.toMatch(/ghost|\[\[\d|【/);
    expect(whole.metadata.citations?.length).toBeGreaterThanOrEqual(4);
    for (const { start, end, text, document_id, chunk_number } of whole.metadata.citations ?? []) {
      expect(whole.completion.slice(start, end)).toBe(text);
      expect(whole.sources).toContainEqual(expect.objectContaining({ document_id, chunk_number }));
    }
    for (let seed = 0; seed < SPLITS; seed += 1) {
      const events = await readEvents(
        await ask(`splits:${seed}|text:${answer}`, { ...body, stream_response: true }),
      );
      const { citations } = events.at(-1)?.['metadata'] as Completion['metadata'];
      expect([seed, streamedText(events), citations]).toEqual([
        seed,
        whole.completion,
        whole.metadata.citations,
      ]);
    }
  });

  it('has sources that a client can show without another call, at once and as a stream', async () => {
    const body = { folder_name: '/devices', k: 3 };
    const { sources } = await complete('plain', body);
    const events = await readEvents(await ask('plain', { ...body, stream_response: true }));
    expect(events.at(-1)).toMatchObject({ type: 'done', sources });
    const chunks = await home.service.client.post('/batch/chunks', { sources });
    expect(sources).toEqual(
      (chunks.json() as Record<string, unknown>[]).map(
        ({ document_id, chunk_number, score, filename, content }) => ({
          document_id,
          chunk_number,
          score,
          filename,
          page_number: null,
          is_image: false,
          excerpt: content,
        }),
      ),
    );
    expect(sources).toHaveLength(3);
  });

  it('has excerpts of at most 300 characters', async () => {
    await new Documents(() => home.service.client).ingestText('information'.repeat(80), {
      folder_name: '/long',
    });
    const { sources } = await complete('plain', { folder_name: '/long', k: 1 });
    expect(sources).toMatchObject([{ excerpt: `${'information'.repeat(80).slice(0, 299)}…` }]);
  });

  it('drops near-duplicate passages that retrieval still returns', async () => {
    const documents = new Documents(() => home.service.client);
    const page = (kilograms: number): string =>
      `The notice about the blue device: it weighs ${kilograms} kilograms, as every crate that it comes in says.`;
    for (const text of [page(2), page(2), `${page(2).toUpperCase()}\n`, page(3)]) {
      await documents.ingestText(text, { folder_name: '/notices' });
    }
    const search = { folder_name: '/notices', k: 4 };
    const retrieved = await home.service.client.post('/retrieve/chunks', { query: QUESTION, ...search });
    expect(retrieved.json()).toHaveLength(4);
    const { sources, metadata } = await complete('plain', search);
    expect(sources).toHaveLength(2);
    expect(metadata).toMatchObject({ context_chunks: 2, dropped_chunks: 0 });
    const { question } = home.provider.last;
    expect(
      question
        .match(/weighs [23] kilograms/gi)
        ?.map((found) => found.toLowerCase())
        .sort(),
    ).toEqual(['weighs 2 kilograms', 'weighs 3 kilograms']);
  });

  it(`is cancelled when the client leaves, ${DISCONNECTS} times`, async () => {
    const random = new Random(7);
    const leave = async (index: number): Promise<void> => {
      const name = `case:${index}`;
      const client = new AbortController();
      const isStream = index % 2 === 0;
      const behaviour = isStream ? 'tokens:2000|token-delay:5' : 'delay:10000';
      const body = { chat_id: `left-${index}`, stream_response: isStream };
      const reading = ask(`${behaviour}|${name}`, body, client.signal).then((response) => response.text());
      const left = reading.then(
        () => 'stayed',
        () => 'left',
      );
      // Half of the clients disconnect at a random moment, the others while the model responds.
      await until('the model is called', () => !isStream || home.provider.callsTo(name).length > 0);
      await pause(random.below(500), 'the moment of a disconnect');
      client.abort();
      expect(await left).toBe('left');
      // Before the call to the model there is nothing to cancel, and no call follows.
      await until('the calls to the model are cancelled', () =>
        home.provider.callsTo(name).every(({ aborted }) => aborted),
      );
    };
    for (let index = 0; index < DISCONNECTS; index += 5) {
      await Promise.all([0, 1, 2, 3, 4].map((offset) => leave(index + offset)));
    }
    expect(home.provider.completions.length).toBeGreaterThanOrEqual(DISCONNECTS / 2);
    expect(home.provider.completions.every(({ aborted }) => aborted)).toBe(true);
    const chats = (await home.service.client.get('/chats')).json() as { chat_id: string }[];
    for (const { chat_id: chat } of chats) {
      expect(await turnsOf(chat)).toMatchObject([{ role: 'user' }, { role: 'assistant', stopped: true }]);
    }
  });

  it(`stores every turn of two concurrent requests, ${TURNS} times, in commit order`, async () => {
    const say = (name: string): string => `How many kilograms does the blue device number ${name} weigh?`;
    const expected: string[] = [];
    for (let round = 0; round < TURNS; round += 1) {
      const request = (name: string, more = ''): Promise<Completion> =>
        complete(`text:Answer ${name}${more}`, { chat_id: 'shared', query: say(name) });
      if (round % 2 === 0) {
        // Both race; the two turns of each request are stored together.
        await Promise.all([request(`${round}-a`), request(`${round}-b`)]);
        const stored = (await turnsOf('shared')).slice(-4).map(({ content }) => content);
        const pairs = [`${round}-a`, `${round}-b`].map((name) => [say(name), `Answer ${name}`]);
        expect([pairs.flat(), [...pairs].reverse().flat()]).toContainEqual(stored);
        expected.push(...stored);
      } else {
        // The first request is answered last, and so stored last.
        const slow = request(`${round}-slow`, `|holds:${round}`);
        await request(`${round}-fast`);
        home.provider.release(String(round));
        await slow;
        for (const name of ['fast', 'slow'])
          expected.push(say(`${round}-${name}`), `Answer ${round}-${name}`);
      }
    }
    const turns = await turnsOf('shared');
    expect(turns.map(({ content }) => content)).toEqual(expected);
    expect(turns).toHaveLength(TURNS * 4);
    expect(turns.map(({ timestamp }) => timestamp)).toEqual(turns.map(({ timestamp }) => timestamp).sort());
  });

  describe('with a query image', () => {
    const image = { query: null, query_image: PIXEL, use_colpali: true };

    it('sends the image itself to a model with vision', async () => {
      const { completion } = await complete('plain', {
        ...image,
        llm_config: { vision: true },
        chat_id: 'seen',
      });
      expect(completion).toBe(USUAL_ANSWER);
      const content = home.provider.last.body.messages.at(-1)?.content;
      expect(content).toMatchObject([
        { type: 'text' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } },
      ]);
      expect(home.provider.completions).toHaveLength(1);
      expect((await turnsOf('seen')).map(({ content: said }) => said)).toEqual(['[image]', USUAL_ANSWER]);
    });

    it('can be streamed', async () => {
      const events = await readEvents(
        await ask('plain', { ...image, llm_config: { vision: true }, stream_response: true }),
      );
      expect(streamedText(events)).toBe(USUAL_ANSWER);
    });

    it.each([['plain'], ['extractive']])('is rejected for the model %s without vision', async (model) => {
      const response = await ask(model, image);
      expect([response.status, await response.json()]).toEqual([
        422,
        {
          detail: [
            {
              loc: ['body', 'query_image'],
              msg: expect.stringContaining(model) as string,
              type: 'value_error',
            },
          ],
        },
      ]);
      expect(home.provider.completions).toEqual([]);
    });
  });

  describe('beyond the context window', () => {
    beforeAll(async () => {
      const documents = new Documents(() => home.service.client);
      const paragraph = (index: number): string =>
        `Device ${index} weighs ${index} kilograms. 充电需要${index}小时。 ${'It is blue. '.repeat(9)}`;
      const text = Array.from({ length: 1_100 }, (_, index) => paragraph(index)).join('\n\n');
      const { system_metadata } = await documents.ingestText(text, { folder_name: '/many' });
      expect(system_metadata.chunk_count).toBeGreaterThan(1_000);
    });

    it.each([2_048, 32_768])('fits a window of %i tokens with k = 1000', async (window) => {
      for (const more of [{}, { max_tokens: 700 }, { schema: { type: 'object' }, chat_id: 'long' }]) {
        const body = { folder_name: '/many', k: 1_000, llm_config: { context_window: window }, ...more };
        const { sources, metadata } = await complete(`obeys|window:${window}`, body);
        expect(metadata.context_chunks + metadata.dropped_chunks).toBe(1_000);
        expect(sources).toHaveLength(metadata.context_chunks);
        expect(metadata.context_chunks).toBeGreaterThan(0);
        const { question } = home.provider.last;
        expect(question.split(' passage ')).toHaveLength(metadata.context_chunks + 1);
      }
      expect(home.provider.completions).toHaveLength(3);
    });

    it('leaves room for the repair of a structured answer', async () => {
      const body = {
        folder_name: '/many',
        k: 1_000,
        llm_config: { context_window: 4_096 },
        schema: { type: 'object', required: ['weight'], properties: { weight: { type: 'integer' } } },
      };
      for (const behaviour of ['obeys-after-repair', `json:{"weight": "${'very heavy '.repeat(3_000)}"}`]) {
        await ask(`${behaviour}|window:4096`, body);
        expect(home.provider.completions).toHaveLength(2);
        expect(home.provider.completions.map(({ refused }) => refused)).toEqual([false, false]);
        home.provider.forget();
      }
    });

    it('drops the conversation before it rejects a large max_tokens', async () => {
      const body = { chat_id: 'capped', folder_name: '/many', llm_config: { context_window: 2_048 } };
      for (let turn = 0; turn < 6; turn += 1) {
        await complete(`window:2048|text:${'two kilograms '.repeat(60)}`, { ...body, max_tokens: 1_500 });
      }
      expect(home.provider.last.body.messages.length).toBeLessThan(12);
    });

    it.each([
      [{ max_tokens: 5_000 }, ['body', 'max_tokens']],
      [{ llm_config: { context_window: 2_048, max_tokens: 5_000 } }, ['body', 'llm_config', 'max_tokens']],
      [{ query: 'why '.repeat(5_000) }, ['body', 'query']],
      [
        { prompt_overrides: { query: { system_prompt: 'Be kind. '.repeat(5_000) } } },
        ['body', 'prompt_overrides', 'query', 'system_prompt'],
      ],
    ])('rejects input beyond the window at its location', async (more, loc) => {
      const response = await ask('plain', { llm_config: { context_window: 2_048 }, ...more });
      expect([response.status, await response.json()]).toMatchObject([
        422,
        { detail: [{ loc, type: 'value_error' }] },
      ]);
      expect(home.provider.completions).toEqual([]);
    });
  });
});
