import { answerWithoutMarkers } from '../support/answers-without-markers.js';
import { CompletionService } from '../support/completion-service.js';
import type { SharedService } from '../support/shared-service.js';
import { Documents } from '../support/documents.js';
import { fc } from '../support/properties.js';

const FOLDER = '/lamp';
const RUNS = Number(process.env['ANSWER_DOOR_RUNS'] ?? 12);

/** What a door sent: the text of the answer, the names of the cited files, and the refusal. */
interface Sent {
  readonly text: string;
  readonly cited: readonly string[];
  readonly refusal: string;
}

/** Asks at a door, whole or streamed, of a model that behaves in the given way. */
type Door = (behaviour: string, streamed: boolean, more?: object) => Promise<Sent>;

interface Chunk {
  readonly type?: string;
  readonly content?: string;
  readonly delta?: string;
  readonly choices?: readonly [{ readonly delta: { readonly content?: string; readonly refusal?: string } }];
  readonly metadata?: unknown;
  readonly response?: { readonly output: readonly Item[] };
}

interface Item {
  readonly type: string;
  readonly content: readonly [
    {
      readonly text?: string;
      readonly refusal?: string;
      readonly annotations?: readonly { readonly filename: string }[];
    },
  ];
}

describe('the text of an answer', () => {
  let home: CompletionService<SharedService>;
  let store: string;
  beforeAll(async () => {
    home = await CompletionService.shared();
    const documents = new Documents(() => home.service.client);
    await documents.ingestText('The keeper lights the lamp at dusk.', {
      filename: 'lamp.txt',
      folder_name: FOLDER,
    });
    await documents.ingestText('The boat leaves at nine from the north pier.', {
      filename: 'boat.txt',
      folder_name: FOLDER,
    });
    const { data } = (await home.service.client.get('/v1/vector_stores?limit=100')).json() as {
      data: readonly { id: string; name: string }[];
    };
    store = data.find(({ name }) => name.endsWith('lamp'))?.id ?? '';
  });
  afterAll(() => home.stop());

  const call = async (path: string, body: object): Promise<unknown> => {
    const { status, text } = await home.service.client.post(path, body);
    if (status !== 200) throw new Error(`${status} ${text}`);
    if (!('stream' in body) && !('stream_response' in body)) return JSON.parse(text);
    return Array.from(text.matchAll(/^data: (\{.*\})$/gm), ([, json = '']) => JSON.parse(json) as Chunk);
  };
  const joined = (chunks: readonly Chunk[], pick: (chunk: Chunk) => string | undefined): string =>
    chunks.map((chunk) => pick(chunk) ?? '').join('');
  const namesIn = (metadata: unknown): string[] => {
    const { citations = [] } = (metadata ?? {}) as { citations?: string | readonly { filename: string }[] };
    const list = (typeof citations === 'string' ? JSON.parse(citations) : citations) as {
      filename: string;
    }[];
    return list.map(({ filename }) => filename);
  };

  const query: Door = async (model, streamed, more = {}) => {
    const body = {
      query: 'When is the lamp lit?',
      folder_name: FOLDER,
      inline_citations: true,
      llm_config: { model },
      ...more,
    };
    if (!streamed) {
      const { completion, metadata } = (await call('/query', body)) as {
        completion: string;
        metadata: object;
      };
      return { text: completion, cited: namesIn(metadata), refusal: '' };
    }
    const chunks = (await call('/query', { ...body, stream_response: true })) as Chunk[];
    const text = joined(chunks, ({ type, content }) => (type === 'assistant' ? content : ''));
    return { text, cited: namesIn(chunks.at(-1)?.metadata), refusal: '' };
  };

  const chat: Door = async (model, streamed, more = {}) => {
    const body = {
      model: 'lectern',
      messages: [{ role: 'user', content: 'When is the lamp lit?' }],
      folder_name: FOLDER,
      inline_citations: true,
      llm_config: { model },
      ...more,
    };
    if (!streamed) {
      const { choices, metadata } = (await call('/v1/chat/completions', body)) as {
        choices: [{ message: { content: string | null; refusal: string | null } }];
        metadata: object;
      };
      const { content, refusal } = choices[0].message;
      return { text: content ?? '', cited: namesIn(metadata), refusal: refusal ?? '' };
    }
    const chunks = (await call('/v1/chat/completions', { ...body, stream: true })) as Chunk[];
    return {
      text: joined(chunks, ({ choices }) => choices?.[0].delta.content),
      cited: namesIn(chunks.find(({ metadata }) => metadata !== undefined)?.metadata),
      refusal: joined(chunks, ({ choices }) => choices?.[0].delta.refusal),
    };
  };

  const response: Door = async (model, streamed, more = {}) => {
    const body = {
      model: 'lectern',
      input: 'When is the lamp lit?',
      tools: [{ type: 'file_search', vector_store_ids: [store] }],
      llm_config: { model },
      ...more,
    };
    const partIn = (output: readonly Item[] = []) =>
      output.find(({ type }) => type === 'message')?.content[0];
    const cited = (output?: readonly Item[]) =>
      (partIn(output)?.annotations ?? []).map(({ filename }) => filename);
    if (!streamed) {
      const { output } = (await call('/v1/responses', body)) as { output: readonly Item[] };
      const part = partIn(output);
      return { text: part?.text ?? '', cited: cited(output), refusal: part?.refusal ?? '' };
    }
    const chunks = (await call('/v1/responses', { ...body, stream: true })) as Chunk[];
    const deltas = (name: string) => joined(chunks, ({ type, delta }) => (type === name ? delta : ''));
    return {
      text: deltas('response.output_text.delta'),
      cited: cited(chunks.at(-1)?.response?.output),
      refusal: deltas('response.refusal.delta'),
    };
  };

  const doors: readonly (readonly [string, Door])[] = [
    ['POST /query', query],
    ['POST /v1/chat/completions', chat],
    ['POST /v1/responses', response],
  ];
  const saying = (text: string, pieces: number) => `encoded:${encodeURIComponent(text)}|pieces:${pieces}`;

  it.each(doors)('comes out of %s byte for byte, whole and streamed', async (_name, door) => {
    await fc.assert(
      fc.asyncProperty(answerWithoutMarkers(), fc.integer({ min: 1, max: 5 }), async (text, pieces) => {
        const expected = { text, cited: [], refusal: '' };
        expect(await door(saying(text, pieces), false)).toEqual(expected);
        expect(await door(saying(text, pieces), true)).toEqual(expected);
      }),
      { numRuns: RUNS },
    );
  });

  const OTHER_SPELLINGS = 'Code `[1]`, lit at dusk [[Quelle 1]] and 【2†source】.\n```\nx = [[2]]\n```';
  it.each(doors)('has the citations of other spellings at %s, in any pieces', async (_name, door) => {
    const whole = await door(saying(OTHER_SPELLINGS, 4), false);
    expect([...whole.cited].sort()).toEqual(['boat.txt', 'lamp.txt']);
    expect(whole.text).toMatch(/^Code `\[1\]`, lit at dusk.* and.*\.\n```\nx = \[\[2\]\]\n```$/);
    expect(whole.text).not.toMatch(/Quelle|†/);
    for (const pieces of [1, 2, 3, 5]) {
      expect(await door(saying(OTHER_SPELLINGS, pieces), true)).toEqual(whole);
    }
  });

  const schema = { type: 'object', properties: { f: { type: 'string' } }, required: ['f'] };
  const REFUSAL = 'I cannot help with that.';
  const refusing = `refuses|${saying(REFUSAL, 3)}`;

  it.each([false, true])('is a refusal at the doors of OpenAI, streamed: %s', async (streamed) => {
    const expected = { text: '', cited: [], refusal: REFUSAL };
    const shaped = { type: 'json_schema', json_schema: { name: 'x', schema, strict: true } };
    const format = { format: { type: 'json_schema', name: 'x', schema } };
    for (const [door, more] of [
      [chat, {}],
      [chat, { response_format: shaped }],
      [response, {}],
      [response, { text: format }],
    ] as const) {
      home.provider.forget();
      expect(await door(refusing, streamed, more)).toEqual(expected);
      expect(home.provider.completions).toHaveLength(1);
    }
  });

  it.each([false, true])('is the text of a refusal at POST /query, streamed: %s', async (streamed) => {
    expect(await query(refusing, streamed)).toMatchObject({ text: REFUSAL });
    expect(await query(refusing, streamed, { schema })).toMatchObject({ text: REFUSAL });
  });

  it('names a refusal in the metadata of POST /query', async () => {
    const body = { query: 'lamp?', folder_name: FOLDER, schema, llm_config: { model: refusing } };
    expect(await call('/query', body)).toMatchObject({
      completion: REFUSAL,
      metadata: { refused: true, notes: [expect.stringContaining('refused')] },
    });
  });
});
