import { clock, QUESTION, refusal, ResponsesService, typesOf } from '../../support/responses.js';

describe('responses of the OpenAI protocol, with a language model,', () => {
  let home: ResponsesService;
  beforeAll(async () => {
    home = await ResponsesService.start();
  });
  afterAll(() => home.stop());
  beforeEach(() => {
    home.provider.forget();
  });

  it('call functions over several rounds', async () => {
    const first = await home.ask('calls:clock', {
      input: 'What time is it?',
      tools: [clock(), clock('calendar')],
    });
    expect(first).toMatchObject({
      status: 'completed',
      output_text: '',
      output: [
        {
          id: expect.stringMatching(/^fc_/) as string,
          type: 'function_call',
          call_id: 'call_fake',
          name: 'clock',
          arguments: '{"zone":"x"}',
          status: 'completed',
        },
      ],
    });
    const unanswered = await refusal(home.ask('plain', { input: 'Well?', previous_response_id: first.id }));
    expect(unanswered).toMatchObject({ status: 400, param: 'input' });
    expect(unanswered.message).toContain('No tool output found for function call call_fake');

    const output = { type: 'function_call_output', call_id: 'call_fake', output: 'Noon.' } as const;
    const second = await home.ask('text:It is noon.', {
      input: [output],
      previous_response_id: first.id,
      tools: [clock()],
      parallel_tool_calls: false,
    });
    expect(second.output_text).toBe('It is noon.');
    expect(home.provider.last.body).toMatchObject({
      parallel_tool_calls: false,
      messages: [
        { role: 'user', content: 'What time is it?' },
        {
          role: 'assistant',
          tool_calls: [{ id: 'call_fake', function: { name: 'clock', arguments: '{"zone":"x"}' } }],
        },
        { role: 'tool', tool_call_id: 'call_fake', content: 'Noon.' },
      ],
    });
    const third = await home.ask('calls:clock', {
      input: 'And in Rome?',
      previous_response_id: second.id,
      tools: [clock()],
    });
    expect(third.output).toMatchObject([{ type: 'function_call', name: 'clock' }]);

    const orphan = await refusal(home.ask('plain', { input: [output] }));
    expect(orphan.message).toContain('No tool call found for function call output with call_id call_fake');
  });

  it.each(['required', { type: 'function', name: 'clock' }] as const)(
    'call a function that has to be called (%j)',
    async (choice) => {
      const body = { input: QUESTION, tools: [clock()], tool_choice: choice };
      const called = [{ type: 'function_call', name: 'clock', arguments: '{"zone":"x"}' }];
      expect((await home.ask('obeys', body)).output).toMatchObject(called);
      const received = await home.events('obeys', body);
      expect(received.at(-1)).toMatchObject({ type: 'response.completed', response: { output: called } });
    },
  );

  it('stream calls', async () => {
    const received = await home.events('calls:clock', { input: QUESTION, tools: [clock()] });
    expect(typesOf(received)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'response.output_item.done',
      'response.completed',
    ]);
    const spoken = await home.events('thinks:Wait.|calls:clock', { input: QUESTION, tools: [clock()] });
    expect(typesOf(spoken).slice(2)).toEqual([
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.output_item.added',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'response.output_item.done',
      'response.completed',
    ]);
    expect(spoken.at(-1)).toMatchObject({
      response: { output: [{ type: 'message' }, { type: 'function_call', arguments: '{"zone":"x"}' }] },
    });
  });
});
