import OpenAI from 'openai';
import { CompletionService } from '../../support/completion-service.js';
import { Documents, type DocumentRecord } from '../../support/documents.js';
import { readEvents, streamedText } from '../../support/event-stream.js';

const QUESTION = 'How many kilograms does the blue device weigh?';
const ANSWER = 'It weighs two kilograms [[1]].';
const CITED = 'It weighs two kilograms [weights.txt].';
const THOUGHT = 'Maybe {"weight": 9}? [[1]] No.';
const SCHEMA = {
  type: 'object',
  required: ['weight'],
  properties: { weight: { type: 'integer' } },
  additionalProperties: false,
};

const thinks = (text: string): string => `thinks:${encodeURIComponent(text)}`;
const BLOCK = thinks(`<think>\n${THOUGHT}\n</think>\n\n`);
const APART = `reasoning:${encodeURIComponent(THOUGHT)}`;

/** Formats in which servers send reasoning. */
const WAYS: readonly (readonly [name: string, behaviour: string])[] = [
  ['a block', BLOCK],
  ['a block in parts of content', `parts|${BLOCK}`],
  ['a block without its opening tag', `qwq|${thinks(`${THOUGHT}</think>\n`)}`],
  ['the channels of gpt-oss', thinks(harmony(THOUGHT))],
  ['reasoning_content', APART],
  ['reasoning', `reasoning-field:reasoning|${APART}`],
];

function harmony(thought: string): string {
  return `<|channel|>analysis<|message|>${thought}<|end|><|start|>assistant<|channel|>final<|message|>`;
}

describe('the reasoning of a model', () => {
  let home: CompletionService;
  let client: OpenAI;
  let documents: Documents;
  beforeAll(async () => {
    home = await CompletionService.start();
    client = new OpenAI({ apiKey: home.service.adminKey, baseURL: `${home.service.url}/v1`, maxRetries: 0 });
    documents = new Documents(() => home.service.client);
    await documents.ingestText('The blue device weighs two kilograms.', { filename: 'weights.txt' });
  });
  afterAll(() => home.stop());
  beforeEach(() => {
    home.provider.forget();
  });

  const query = (model: string, more: object = {}): Promise<Response> =>
    home.service.client.fetch('POST', '/query', {
      body: { query: QUESTION, llm_config: { model }, inline_citations: true, ...more },
    });

  describe.each(WAYS)('sent as %s', (_name, way) => {
    it('is in the metadata instead of the answer', async () => {
      const answer = (await (await query(`${way}|text:${ANSWER}`)).json()) as object;
      expect(answer).toMatchObject({
        completion: CITED,
        finish_reason: 'stop',
        usage: { total_tokens: 18 },
        metadata: { reasoning: THOUGHT, citations: [{ start: 24, text: '[weights.txt]' }] },
      });
    });

    it('is not part of a stream, at any chunk boundaries', async () => {
      for (let seed = 1; seed <= 8; seed += 1) {
        const events = await readEvents(
          await query(`splits:${seed}|${way}|text:${ANSWER}`, { stream_response: true }),
        );
        expect([seed, streamedText(events)]).toEqual([seed, CITED]);
        expect(events.at(-1)).toMatchObject({ type: 'done', metadata: { reasoning: THOUGHT } });
        expect(new Set(events.map(({ type }) => type))).toEqual(new Set(['assistant', 'done']));
      }
    });

    it('is not part of a structured answer', async () => {
      for (const behaviour of [
        'json:{"weight":2}',
        'repaired:{"weight":2}',
        'no-schema-mode|json:{"weight":2}',
      ]) {
        const answer = await query(`${way}|${behaviour}`, { schema: SCHEMA, inline_citations: false });
        expect(await answer.json()).toMatchObject({
          completion: { weight: 2 },
          metadata: { reasoning: THOUGHT },
        });
        const events = await readEvents(
          await query(`splits:3|${way}|${behaviour}`, { schema: SCHEMA, stream_response: true }),
        );
        expect(events.at(-1)).toMatchObject({ completion: { weight: 2 }, metadata: { reasoning: THOUGHT } });
        if (behaviour.startsWith('json')) expect(streamedText(events)).toBe('{"weight":2}');
      }
    });

    it('is not stored in chats or sent in prompts', async () => {
      const chat = { chat_id: `chat of ${way}`.slice(0, 40) };
      await query(`${way}|text:${ANSWER}`, chat);
      await readEvents(await query(`${way}|text:${ANSWER}`, { ...chat, stream_response: true }));
      await query('plain', { ...chat, query: 'And what colour is it?' });
      const turns = (await home.service.client.get(`/chat/${encodeURIComponent(chat.chat_id)}`)).json();
      expect(turns).toMatchObject([{}, { content: CITED }, {}, { content: CITED }, {}, {}]);
      expect(home.provider.completions).toHaveLength(4); // the last question is rewritten first
      const prompts = home.provider.completions.map(({ body }) => body.messages);
      expect(JSON.stringify(prompts)).not.toContain('Maybe');
    });

    it('is not stored by rules', async () => {
      const { external_id: id } = await documents.ingestText('Old words.');
      const update = async (behaviour: string, rule: object): Promise<DocumentRecord> => {
        home.provider.alias('plain', behaviour);
        const answer = await home.service.client.post(
          `/documents/${id}/update_text?update_strategy=replace`,
          { content: 'New words.', rules: [rule] },
        );
        home.provider.alias('plain', 'plain');
        expect(answer.status).toBe(200);
        return answer.json() as DocumentRecord;
      };
      await update(`${way}|text:Rewritten.`, { type: 'natural_language', prompt: 'Rewrite it.' });
      expect(await documents.text(id)).toBe('Rewritten.');
      const schema = { weight: { type: 'integer' } };
      const record = await update(`${way}|json:{"weight":2}`, { type: 'metadata_extraction', schema });
      expect(record.metadata).toMatchObject({ weight: 2 });
      await home.service.client.call('DELETE', `/documents/${id}`);
    });

    it('is returned as reasoning_content under /v1 on request', async () => {
      const messages = [{ role: 'user' as const, content: QUESTION }];
      const asked = { include_reasoning: true, llm_config: { model: `${way}|text:${ANSWER}` } };
      const answer = await client.chat.completions.create({ model: 'lectern', messages, ...asked });
      expect(answer.choices[0]?.message).toMatchObject({ content: ANSWER, reasoning_content: THOUGHT });
      expect(answer).not.toHaveProperty('metadata.reasoning');

      const stream = await client.chat.completions.create({
        model: 'lectern',
        messages,
        ...asked,
        stream: true,
      });
      const texts = { content: '', reasoning_content: '' };
      for await (const { choices } of stream) {
        const delta = (choices[0]?.delta ?? {}) as Partial<typeof texts>;
        texts.content += delta.content ?? '';
        texts.reasoning_content += delta.reasoning_content ?? '';
      }
      expect([texts.content, texts.reasoning_content.trim()]).toEqual([ANSWER, THOUGHT]);
    });

    it('is not returned under /v1 by default', async () => {
      const body = {
        model: 'lectern',
        messages: [{ role: 'user', content: QUESTION }],
        llm_config: { model: `${way}|text:${ANSWER}` },
      };
      for (const stream of [false, true]) {
        const answer = await home.service.client.fetch('POST', '/v1/chat/completions', {
          body: { ...body, stream },
        });
        expect(answer.status).toBe(200);
        const text = await answer.text();
        expect(text).not.toMatch(/reasoning_content|"reasoning"|"content":"[^"]*Maybe/);
      }
    });
  });

  it('is returned beside a function call', async () => {
    const body = {
      model: 'lectern',
      messages: [{ role: 'user', content: QUESTION }],
      tools: [{ type: 'function', function: { name: 'clock', parameters: { type: 'object' } } }],
      include_reasoning: true,
      llm_config: { model: `${BLOCK}|calls:clock` },
    };
    const whole = await home.service.client.post('/v1/chat/completions', body);
    expect(whole.json()).toMatchObject({
      choices: [
        {
          finish_reason: 'tool_calls',
          message: {
            content: null,
            reasoning_content: THOUGHT,
            tool_calls: [{ function: { name: 'clock' } }],
          },
        },
      ],
    });
    const stream = await home.service.client.fetch('POST', '/v1/chat/completions', {
      body: { ...body, stream: true },
    });
    const text = await stream.text();
    expect(text).toContain('"reasoning_content"');
    expect(text).toContain('"clock"');
    expect(text).not.toMatch(/"content":"[^"]/);
  });

  it('that is truncated leaves an empty answer with finish reason length', async () => {
    const cut = `finish:length|${thinks('<think>Hm, two')}|text: or`;
    const expected = { finish_reason: 'length', metadata: { reasoning: 'Hm, two or' } };
    expect(await (await query(cut)).json()).toMatchObject({ ...expected, completion: '' });
    const events = await readEvents(await query(cut, { stream_response: true }));
    expect([streamedText(events), events.at(-1)]).toEqual(['', expect.objectContaining({ type: 'done' })]);
    expect(events.at(-1)).toMatchObject(expected);
  });

  it('without an opening tag is streamed as answer once, with a note, and recognised afterwards', async () => {
    const model = `first-time|${thinks('Hm. Two?</think>\n')}|text:Two.`;
    const first = await readEvents(await query(model, { stream_response: true, chat_id: 'unopened' }));
    expect(streamedText(first)).toBe('Hm. Two?Two.');
    expect(first.at(-1)).toMatchObject({
      completion: 'Two.',
      metadata: { reasoning: 'Hm. Two?', notes: [expect.stringContaining('unmarked reasoning')] },
    });
    const second = await readEvents(await query(model, { stream_response: true, chat_id: 'unopened' }));
    expect(streamedText(second)).toBe('Two.');
    expect(second.at(-1)).not.toHaveProperty('completion');
    const turns = (await home.service.client.get('/chat/unopened')).json();
    expect(turns).toMatchObject([{}, { content: 'Two.' }, {}, { content: 'Two.' }]);
  });

  it('sent back by a client is removed from prompts', async () => {
    await client.chat.completions.create({
      model: 'lectern',
      messages: [
        { role: 'user', content: 'Is it blue?' },
        { role: 'assistant', content: `<think>${THOUGHT}</think>\nIt is.` },
        { role: 'user', content: QUESTION },
      ],
    });
    expect(home.provider.last.texts('assistant')).toEqual(['It is.']);
  });

  it('does not delay streams of models without reasoning', async () => {
    const answer = await query('halfway:later|text:It weighs two kilograms, or so they say.', {
      stream_response: true,
      inline_citations: false,
    });
    const reader = answer.body?.getReader();
    const first = await reader?.read();
    expect(new TextDecoder().decode(first?.value as Uint8Array)).toContain('It w');
    home.provider.release('later');
    while ((await reader?.read())?.done === false);
  });
});
