import OpenAI, { BadRequestError, NotFoundError, toFile } from 'openai';
import type { ConversationItem } from 'openai/resources/conversations/items';
import type { Response, ResponseCreateParams } from 'openai/resources/responses/responses';
import { CompletionService } from '../support/completion-service.js';
import type { SharedService } from '../support/shared-service.js';
import { refusal } from '../support/responses.js';
import { until } from '../support/until.js';

const QUESTION = 'When is the keeper relieved?';
const CLOCK = {
  type: 'function',
  name: 'clock',
  description: 'The present time.',
  parameters: { type: 'object', properties: { zone: { type: 'string' } } },
  strict: null,
} as unknown as OpenAI.Responses.FunctionTool;

type Body = Omit<ResponseCreateParams, 'stream'> & { readonly end_user_id?: string };

const said = (content: string) => ({ role: 'user', content }) as const;

/** The texts of messages, and the types of other items. */
const wordsOf = (items: readonly ConversationItem[]): string[] =>
  items.map((item) => {
    const { content } = item as { content?: readonly { readonly text?: string }[] };
    return content?.map(({ text }) => text).join('') ?? item.type;
  });

describe('conversations of the OpenAI protocol', () => {
  let home: CompletionService<SharedService>;
  let client: OpenAI;
  const clientWith = (apiKey: string): OpenAI =>
    new OpenAI({ apiKey, baseURL: `${home.service.url}/v1`, maxRetries: 0 });
  beforeAll(async () => {
    home = await CompletionService.shared();
    client = clientWith(home.service.adminKey);
  });
  afterAll(() => home.stop());
  beforeEach(() => {
    home.provider.forget();
  });

  /** A response of the model that behaves as named. */
  const ask = (model: string, body: Body): Promise<Response> =>
    client.responses.create({ model: 'lectern', ...body, llm_config: { model } } as never);
  const itemsOf = async (id: string, by = client): Promise<ConversationItem[]> => {
    const items: ConversationItem[] = [];
    for await (const item of by.conversations.items.list(id, { order: 'asc', limit: 2 })) items.push(item);
    return items;
  };
  const keyFor = async (body: object): Promise<string> => {
    const issued = await home.service.client.post('/keys', { name: 'k', scopes: ['query'], ...body });
    return (issued.json() as { key: string }).key;
  };

  it('are made, read, described and deleted', async () => {
    const made = await client.conversations.create({ metadata: { topic: 'harbour' }, items: [said('One')] });
    expect(made).toEqual({
      id: expect.stringMatching(/^conv_[0-9a-f]{32}$/) as string,
      object: 'conversation',
      created_at: expect.any(Number) as number,
      metadata: { topic: 'harbour' },
    });
    expect(await client.conversations.retrieve(made.id)).toEqual(made);
    const updated = await client.conversations.update(made.id, { metadata: { topic: 'lamps' } });
    expect(updated).toEqual({ ...made, metadata: { topic: 'lamps' } });
    expect(await client.conversations.update(made.id, { metadata: null })).toMatchObject({ metadata: {} });
    expect(await client.conversations.delete(made.id)).toEqual({
      id: made.id,
      object: 'conversation.deleted',
      deleted: true,
    });
    for (const request of [
      client.conversations.retrieve(made.id),
      client.conversations.delete(made.id),
      client.conversations.update(made.id, { metadata: {} }),
      client.conversations.items.list(made.id),
      client.conversations.items.create(made.id, { items: [said('Two')] }),
      ask('plain', { input: 'Two', conversation: made.id }),
    ]) {
      const error = await refusal(request);
      expect(error).toBeInstanceOf(NotFoundError);
      expect(error.message).toContain(`No conversation has the id "${made.id}"`);
    }
    expect(await client.conversations.create()).toMatchObject({ metadata: {} });
  });

  it('list their items by cursor in both orders', async () => {
    const { id } = await client.conversations.create({ items: [said('One'), said('Two')] });
    const added = await client.conversations.items.create(id, { items: ['Three', 'Four'].map(said) });
    expect(wordsOf(added.data)).toEqual(['Three', 'Four']);
    expect(added).toMatchObject({
      object: 'list',
      first_id: added.data[0]?.id,
      last_id: added.data[1]?.id,
      has_more: false,
    });
    expect(wordsOf(await itemsOf(id))).toEqual(['One', 'Two', 'Three', 'Four']);
    const newest = await client.conversations.items.list(id, { limit: 3 });
    expect([wordsOf(newest.data), newest.has_more]).toEqual([['Four', 'Three', 'Two'], true]);
    const rest = await client.conversations.items.list(id, { after: newest.last_id });
    expect([wordsOf(rest.data), rest.has_more]).toEqual([['One'], false]);
    const before = { before: newest.last_id, limit: 1 } as never;
    const previous = await client.conversations.items.list(id, before);
    expect([wordsOf(previous.data), previous.has_more]).toEqual([['Three'], true]);
    expect(await refusal(client.conversations.items.list(id, { after: 'msg_1' }))).toMatchObject({
      status: 400,
      param: 'after',
    });
  });

  it('give and delete single items', async () => {
    const { id } = await client.conversations.create({ items: [said('One'), said('Two')] });
    const [first, second] = await itemsOf(id);
    const one = { conversation_id: id };
    expect(first).toEqual({
      id: expect.stringMatching(/^msg_/) as string,
      type: 'message',
      role: 'user',
      status: 'completed',
      content: [{ type: 'input_text', text: 'One' }],
    });
    expect(await client.conversations.items.retrieve(first?.id ?? '', one)).toEqual(first);
    expect(await client.conversations.items.delete(second?.id ?? '', one)).toMatchObject({ id });
    for (const request of [
      client.conversations.items.retrieve(second?.id ?? '', one),
      client.conversations.items.delete(second?.id ?? '', one),
    ]) {
      await expect(request).rejects.toBeInstanceOf(NotFoundError);
    }
    const added = await client.conversations.items.create(id, { items: [said('Three')] });
    expect(added.data[0]?.id).not.toBe(second?.id);
    expect(wordsOf(await itemsOf(id))).toEqual(['One', 'Three']);
  });

  it('continue with each response, by id or object', async () => {
    const { id } = await client.conversations.create({
      items: [{ role: 'developer', content: 'Be brief.' }, said('Good day.')],
    });
    const first = await ask('text:Tuesday.', { input: QUESTION, conversation: id });
    expect(first).toMatchObject({ conversation: { id }, previous_response_id: null });
    await ask('text:At noon.', { input: 'And when?', conversation: { id }, instructions: 'Be kind.' });
    expect(home.provider.last.body.messages).toEqual([
      { role: 'system', content: 'Be kind.\n\nBe brief.' },
      { role: 'user', content: 'Good day.' },
      { role: 'user', content: QUESTION },
      { role: 'assistant', content: 'Tuesday.' },
      { role: 'user', content: 'And when?' },
    ]);
    const items = await itemsOf(id);
    expect(wordsOf(items)).toEqual(['Be brief.', 'Good day.', QUESTION, 'Tuesday.', 'And when?', 'At noon.']);
    expect(items[3]).toEqual(first.output[0]);
    expect(await client.responses.retrieve(first.id)).toMatchObject({ conversation: { id } });
    await client.responses.delete(first.id);
    expect(await itemsOf(id)).toHaveLength(6);
    await client.conversations.delete(id);
  });

  it('take the items of a stream, and of a response that is not stored', async () => {
    const { id } = await client.conversations.create();
    const stream = client.responses.stream({ model: 'lectern', input: 'One', conversation: id });
    const response = await stream.finalResponse();
    const unkept = await ask('text:Two.', { input: 'Again', conversation: id, store: false });
    expect(wordsOf(await itemsOf(id))).toEqual(['One', response.output_text, 'Again', 'Two.']);
    await expect(client.responses.retrieve(unkept.id)).rejects.toBeInstanceOf(NotFoundError);
  });

  it('keep calls of functions and file searches, and repeat no item that is referred to', async () => {
    const { id: store } = await client.vectorStores.create({ name: 'harbour' });
    const text = await toFile(Buffer.from('The keeper is relieved every Tuesday.'), 'keeper.txt');
    await client.vectorStores.files.uploadAndPoll(store, text);
    const { id } = await client.conversations.create();
    const searched = await ask('text:Tuesday [[1]].', {
      input: QUESTION,
      conversation: id,
      tools: [{ type: 'file_search', vector_store_ids: [store] }],
    });
    const called = await ask('calls:clock', { input: 'What time is it?', conversation: id, tools: [CLOCK] });
    const unanswered = await refusal(ask('plain', { input: 'Well?', conversation: id }));
    expect(unanswered).toMatchObject({ status: 400, param: 'input' });
    await ask('text:Noon.', {
      input: [
        { type: 'item_reference', id: called.output[0]?.id ?? '' },
        { type: 'function_call_output', call_id: 'call_fake', output: 'noon' },
      ],
      conversation: id,
      tools: [CLOCK],
    });
    const { messages } = home.provider.last.body;
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant', 'tool']);
    const items = await itemsOf(id);
    expect(items.map(({ type }) => type)).toEqual([
      ...['message', 'file_search_call', 'message', 'message'],
      ...['function_call', 'function_call_output', 'message'],
    ]);
    expect(items.slice(1, 3)).toEqual(searched.output);
  });

  it('take references to items of responses and of other conversations', async () => {
    const { id: other } = await client.conversations.create({ items: [said('One')] });
    const [one] = await itemsOf(other);
    const response = await ask('text:Two.', { input: 'x' });
    const references = [one?.id, response.output[0]?.id].map((item) => ({
      type: 'item_reference' as const,
      id: item ?? '',
    }));
    const { id } = await client.conversations.create({ items: references });
    expect(wordsOf(await itemsOf(id))).toEqual(['One', 'Two.']);
    await ask('plain', { input: [...references, said('Three')] });
    expect(home.provider.last.body.messages.map(({ content }) => content)).toEqual(['One', 'Two.', 'Three']);
    const unknown = { type: 'item_reference' as const, id: `msg_${'0'.repeat(32)}i0` };
    expect(await refusal(client.conversations.items.create(id, { items: [unknown] }))).toMatchObject({
      status: 400,
      param: 'items.0.id',
    });
  });

  it('do not change when a response fails or its client leaves', async () => {
    const { id } = await client.conversations.create({ items: [said('One')] });
    await expect(ask('status:500', { input: 'Two', conversation: id })).rejects.toThrow();
    const broken = { model: 'lectern', input: 'Two', conversation: id, stream: true };
    const failed = await home.service.client.post('/v1/responses', {
      ...broken,
      llm_config: { model: 'tokens:20|breaks' },
    });
    expect(failed.text).toContain('response.failed');
    home.provider.forget();
    const leaving = new AbortController();
    const body = { ...broken, llm_config: { model: 'tokens:20|halfway:departure' } };
    const stream = await client.responses.create(body as never, { signal: leaving.signal });
    for await (const event of stream as unknown as AsyncIterable<{ readonly type: string }>) {
      if (event.type === 'response.output_text.delta') break;
    }
    leaving.abort();
    await until('the call to the model is cancelled', () => home.provider.last.aborted);
    home.provider.release('departure');
    expect(wordsOf(await itemsOf(id))).toEqual(['One']);
  });

  it('keep the items of responses at once together, in one order', async () => {
    const { id } = await client.conversations.create();
    const words = ['a', 'b', 'c', 'd', 'e', 'f'];
    await Promise.all(words.map((word) => ask(`text:${word}`, { input: word, conversation: id })));
    const items = wordsOf(await itemsOf(id));
    const pairs = items.flatMap((word, at) => (at % 2 === 0 ? [[word, items[at + 1]]] : []));
    expect(pairs.toSorted()).toEqual(words.map((word) => [word, word]));
  });

  it.each<[string, object, string]>([
    ['metadata beyond the limits', { metadata: { a: 'x'.repeat(513) } }, 'metadata.a'],
    ['many items', { items: Array.from({ length: 21 }, () => said('x')) }, 'items'],
    ['an unknown item', { items: [{ type: 'computer_call' }] }, 'items.0.type'],
    ['a text', { items: 'x' }, 'items'],
  ])('reject %s at its location', async (_, body, param) => {
    const error = await refusal(client.conversations.create(body));
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error.param).toBe(param);
  });

  it('reject a conversation beside a previous response', async () => {
    const { id } = await client.conversations.create();
    const { id: previous } = await ask('plain', { input: 'One' });
    const error = await refusal(
      ask('plain', { input: 'Two', conversation: id, previous_response_id: previous }),
    );
    expect(error).toMatchObject({ status: 400, param: 'conversation' });
    const wrong = await refusal(ask('plain', { input: 'Two', conversation: {} as never }));
    expect(wrong).toMatchObject({ status: 400, param: 'conversation.id' });
    expect(await refusal(client.conversations.update(id, {} as never))).toMatchObject({ param: 'metadata' });
  });

  it('belong to their tenant and end user', async () => {
    const ann = { end_user_id: 'ann' };
    const { id } = await client.conversations.create({ items: [said('One')], ...ann });
    const [item] = (await client.conversations.items.list(id, ann as never)).data;
    const person = clientWith(await keyFor(ann));
    expect(wordsOf(await itemsOf(id, person))).toEqual(['One']);
    await person.responses.create({ model: 'lectern', input: 'Two', conversation: id });
    expect(await itemsOf(id, person)).toHaveLength(3);

    const reference = { type: 'item_reference' as const, id: item?.id ?? '' };
    const others = [
      client,
      clientWith(await keyFor({ end_user_id: 'bob' })),
      clientWith(await home.service.newTenant()),
    ];
    for (const other of others) {
      for (const request of [
        other.conversations.retrieve(id),
        other.conversations.update(id, { metadata: {} }),
        other.conversations.delete(id),
        other.conversations.items.list(id),
        other.conversations.items.create(id, { items: [said('x')] }),
        other.conversations.items.retrieve(reference.id, { conversation_id: id }),
        other.conversations.items.delete(reference.id, { conversation_id: id }),
        other.responses.create({ model: 'lectern', input: 'x', conversation: id }),
      ]) {
        await expect(request).rejects.toBeInstanceOf(NotFoundError);
      }
      const refused = refusal(other.conversations.create({ items: [reference] }));
      expect(await refused).toMatchObject({ status: 400, param: 'items.0.id' });
    }
    expect(await itemsOf(id, person)).toHaveLength(3);
  });
});
