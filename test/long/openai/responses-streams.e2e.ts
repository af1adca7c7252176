import type OpenAI from 'openai';
import { USUAL_ANSWER } from '../../support/fake-provider/answers.js';
import {
  createStore,
  QUESTION,
  refusal,
  ResponsesService,
  searchOf,
  typesOf,
} from '../../support/responses.js';

describe('responses of the OpenAI protocol, with a language model,', () => {
  let home: ResponsesService;
  let client: OpenAI;
  let store: string;
  beforeAll(async () => {
    home = await ResponsesService.start();
    ({ client } = home);
    store = await createStore(client);
  });
  afterAll(() => home.stop());
  beforeEach(() => {
    home.provider.forget();
  });

  it('are incomplete when the model stops at a limit', async () => {
    const response = await home.ask('tokens:9|finish:length', { input: QUESTION, max_output_tokens: 16 });
    expect(response).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      output: [{ status: 'incomplete' }],
    });
    expect(response.usage?.total_tokens).toBe(18);
    const received = await home.events('tokens:9|finish:length', { input: QUESTION });
    expect(received.at(-1)).toMatchObject({
      type: 'response.incomplete',
      response: { status: 'incomplete', usage: { total_tokens: 18 } },
    });
  });

  it('stream every event of the protocol in its order', async () => {
    const body = { input: QUESTION, tools: [searchOf(store, { max_num_results: 1 })] };
    const received = await home.events('text:Every Tuesday [[1]].', body);
    expect(typesOf(received)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.file_search_call.in_progress',
      'response.file_search_call.searching',
      'response.file_search_call.completed',
      'response.output_item.done',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.annotation.added',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ]);
    expect(received.map(({ sequence_number: number }) => number)).toEqual([...received.keys()]);
    const deltas = received.flatMap((event) =>
      event.type === 'response.output_text.delta' ? event.delta : [],
    );
    expect(deltas.length).toBeGreaterThan(1);
    expect(deltas.join('')).toBe('Every Tuesday.');
    const last = received.at(-1);
    if (last?.type !== 'response.completed') throw new Error('the response is not completed');
    expect(last.response.usage?.total_tokens).toBe(18);
    expect(await client.responses.retrieve(last.response.id)).toMatchObject({
      status: 'completed',
      output: last.response.output,
    });

    const raw = await home.service.client.post('/v1/responses', {
      model: 'lectern',
      input: 'x',
      stream: true,
    });
    expect(raw.text).toMatch(/^id: 0\nevent: response\.created\ndata: \{"type":"response\.created"/);
    const helper = client.responses.stream({ model: 'lectern', ...body });
    expect((await helper.finalResponse()).output_text).toBe(USUAL_ANSWER);
  });

  it('fail with an HTTP status before the first event, and with two events after it', async () => {
    expect(await refusal(home.events('status:500', { input: QUESTION }))).toMatchObject({ status: 502 });
    expect(await refusal(home.ask('status:500', { input: QUESTION }))).toMatchObject({ status: 502 });

    const answer = await home.service.client.post('/v1/responses', {
      model: 'lectern',
      input: QUESTION,
      stream: true,
      llm_config: { model: 'tokens:20|breaks' },
    });
    const data = answer.text
      .split('\n')
      .filter((line) => line.startsWith('data: '))
      .map((line) => JSON.parse(line.slice(6)) as Record<string, unknown>);
    const [error, failed] = data.slice(-2);
    expect(error).toMatchObject({
      type: 'error',
      message: expect.any(String) as string,
      error: { type: 'server_error', message: error?.['message'] },
    });
    expect(failed).toMatchObject({
      type: 'response.failed',
      sequence_number: data.length - 1,
      response: { status: 'failed', error: { code: 'server_error', message: error?.['message'] } },
    });
    await expect(home.events('tokens:20|breaks', { input: QUESTION })).rejects.toThrow();
  });
});
