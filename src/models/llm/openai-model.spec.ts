import { FakeProvider } from '../../../test/support/fake-provider/fake-provider.js';
import { PROVIDER_WORDS } from '../../../test/support/fake-provider/failures.js';
import { USUAL_ANSWER } from '../../../test/support/fake-provider/answers.js';
import { settingsWith } from '../../../test/support/settings.js';
import { DeadlineExceeded, ProviderFailed, TooManyRequests } from '../../errors/index.js';
import {
  type CompletionEvent,
  type CompletionRequest,
  type LanguageModel,
  ResponseFormatRefused,
} from './language-model.js';
import { inEnvironment } from './configured-model.js';
import { runInContext } from '../../request/request-context.js';
import { until } from '../../../test/support/until.js';

const REQUEST: CompletionRequest = {
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'How heavy is it?' },
  ],
  format: { kind: 'text' },
  maxTokens: null,
  temperature: null,
};

describe('OpenAiModel', () => {
  let provider: FakeProvider;
  beforeAll(async () => {
    // Zero jitter makes retries immediate.
    jest.spyOn(Math, 'random').mockReturnValue(0);
    provider = await FakeProvider.start();
  });
  afterAll(async () => {
    jest.restoreAllMocks();
    await provider.close();
  });
  beforeEach(() => {
    provider.forget();
  });

  function model(behaviour: string, environment: Record<string, string> = {}): LanguageModel {
    return inEnvironment(
      settingsWith({
        LLM_MODEL: `hosted_vllm/${behaviour}`,
        LLM_API_BASE: provider.url,
        LLM_API_KEY: 'sk-own-key',
        ...environment,
      }),
    ).model;
  }

  async function deltas(stream: AsyncIterable<CompletionEvent>): Promise<CompletionEvent[]> {
    const events: CompletionEvent[] = [];
    for await (const event of stream) events.push(event);
    return events;
  }

  it('answers with text, usage and finish reason', async () => {
    await expect(model('plain').complete(REQUEST)).resolves.toEqual({
      text: USUAL_ANSWER,
      reasoning: '',
      usage: { promptTokens: 11, completionTokens: 7 },
      finishReason: 'stop',
    });
    expect(provider.last.headers.authorization).toBe('Bearer sk-own-key');
    expect(provider.last.body).toEqual({ model: 'plain', messages: REQUEST.messages });
  });

  it('sends only the given parameters', async () => {
    await model('plain').complete({ ...REQUEST, maxTokens: 50, temperature: 0, format: { kind: 'json' } });
    expect(provider.last.body).toMatchObject({
      max_tokens: 50,
      temperature: 0,
      response_format: { type: 'json_object' },
    });
  });

  it.each(['', '  \n'])('sends no empty turn of the assistant, such as %p', async (content) => {
    const call = { id: 'c1', name: 'clock', arguments: '{}' };
    await model('plain').complete({
      ...REQUEST,
      messages: [
        { role: 'user', content: 'When?' },
        { role: 'assistant', content },
        { role: 'assistant', content, toolCalls: [call] },
        { role: 'tool', content: 'Noon.', toolCallId: 'c1' },
        { role: 'user', content: 'And?' },
      ],
    });
    expect(provider.last.body.messages.slice(1, 3)).toMatchObject([
      { role: 'assistant', content: '(no answer)' },
      { role: 'assistant', content: null, tool_calls: [{ id: 'c1' }] },
    ]);
  });

  it('sends max_completion_tokens to OpenAI reasoning models', async () => {
    await model('', { LLM_MODEL: 'openai/gpt-5-mini' }).complete({ ...REQUEST, maxTokens: 50 });
    expect(provider.last.body).toMatchObject({ max_completion_tokens: 50 });
    expect(provider.last.body).not.toHaveProperty('max_tokens');
  });

  it('sends images as data URIs', async () => {
    const content = [
      { type: 'text', text: 'Look:' },
      { type: 'image', dataUri: 'data:image/png;base64,AAAA' },
    ] as const;
    await model('plain').complete({ ...REQUEST, messages: [{ role: 'user', content }] });
    expect(provider.last.body.messages[0]?.content).toEqual([
      { type: 'text', text: 'Look:' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
    ]);
  });

  it('sends no key when none is configured, even if the environment has one', async () => {
    process.env['OPENAI_API_KEY'] = 'sk-from-environment';
    process.env['OPENAI_ORG_ID'] = 'org-from-environment';
    try {
      await model('plain', { LLM_API_KEY: '' }).complete(REQUEST);
    } finally {
      delete process.env['OPENAI_API_KEY'];
      delete process.env['OPENAI_ORG_ID'];
    }
    expect(provider.last.headers.authorization).toBeUndefined();
    expect(JSON.stringify(provider.last.headers)).not.toContain('environment');
  });

  it('sends the api-key header and the API version to Azure deployments', async () => {
    await model('', {
      LLM_MODEL: 'azure/my-deployment',
      LLM_API_BASE: new URL(provider.url).origin,
    }).complete(REQUEST);
    expect(provider.last.path).toBe('/openai/deployments/my-deployment/chat/completions');
    expect(provider.last.headers).toMatchObject({ 'api-key': 'sk-own-key' });
    expect(provider.last.headers.authorization).toBeUndefined();
  });

  it('escapes the deployment in the path', async () => {
    const base = new URL(provider.url).origin;
    await model('', { LLM_MODEL: 'azure/../../x?y', LLM_API_BASE: base }).complete(REQUEST);
    expect(provider.last.path).toBe('/openai/deployments/..%2F..%2Fx%3Fy/chat/completions');
  });

  it('streams deltas, then usage and finish reason', async () => {
    const events = await deltas(model('pieces:3').stream(REQUEST));
    expect(events.flatMap((event) => (event.type === 'delta' ? event.text : [])).join('')).toBe(USUAL_ANSWER);
    expect(events.length).toBeGreaterThan(5);
    expect(events.at(-1)).toEqual({
      type: 'end',
      usage: { promptTokens: 11, completionTokens: 7 },
      finishReason: 'stop',
    });
  });

  it.each(['no-usage', 'broken-usage'])('estimates the usage for a provider with %s', async (behaviour) => {
    const { usage } = await model(behaviour).complete(REQUEST);
    const [end] = (await deltas(model(behaviour).stream(REQUEST))).slice(-1);
    expect(usage.promptTokens).toBeGreaterThan(8);
    expect(usage.completionTokens).toBeGreaterThan(4);
    expect(end).toMatchObject({ usage });
  });

  it.each([
    ['status:500', ProviderFailed, 3],
    ['status:503', ProviderFailed, 3],
    ['status:401', ProviderFailed, 1],
    ['status:404', ProviderFailed, 1],
    ['status:400', ProviderFailed, 1],
    ['status:429|retry-after:0', TooManyRequests, 3],
    ['status:429|retry-after:600', TooManyRequests, 1],
    ['garbage', ProviderFailed, 3],
    ['html', ProviderFailed, 3],
    ['empty', ProviderFailed, 3],
    ['redirects:http://127.0.0.1:1/', ProviderFailed, 1],
  ])('maps %p to a domain error, and retries transient failures', async (behaviour, error, calls) => {
    const failed = model(behaviour).complete(REQUEST);
    await expect(failed).rejects.toBeInstanceOf(error);
    await expect(failed).rejects.not.toThrow(PROVIDER_WORDS);
    expect(provider.completions).toHaveLength(calls);
    provider.forget();
    await expect(deltas(model(behaviour).stream(REQUEST))).rejects.toBeInstanceOf(error);
    expect(provider.completions).toHaveLength(calls);
  });

  it('forwards Retry-After of a rate limit', async () => {
    await expect(model('status:429|retry-after:600').complete(REQUEST)).rejects.toMatchObject({
      retryAfterSeconds: 600,
    });
  });

  it('succeeds when a retry succeeds', async () => {
    await expect(model('status:500x2').complete(REQUEST)).resolves.toMatchObject({ text: USUAL_ANSWER });
    expect(provider.completions).toHaveLength(3);
  });

  it('distinguishes a refused response format from other refusals', async () => {
    const format = { kind: 'schema', schema: { type: 'object' } } as const;
    await expect(model('no-schema-mode').complete({ ...REQUEST, format })).rejects.toBeInstanceOf(
      ResponseFormatRefused,
    );
    expect(provider.completions).toHaveLength(1);
  });

  it.each(['breaks', 'stops-early', 'error-event'])(
    'fails a stream that %s, without retrying',
    async (behaviour) => {
      const received: string[] = [];
      const run = async (): Promise<void> => {
        for await (const event of model(behaviour).stream(REQUEST))
          if (event.type === 'delta') received.push(event.text);
      };
      await expect(run()).rejects.toBeInstanceOf(ProviderFailed);
      expect(USUAL_ANSWER.startsWith(received.join(''))).toBe(true);
      expect(received.length).toBeGreaterThan(0);
      expect(provider.completions).toHaveLength(1);
    },
  );

  it('fails at the deadline, including retries', async () => {
    const hanging = model('hangs', { LLM_TIMEOUT_MS: '80' });
    await expect(hanging.complete(REQUEST)).rejects.toBeInstanceOf(DeadlineExceeded);
    await expect(deltas(hanging.stream(REQUEST))).rejects.toBeInstanceOf(DeadlineExceeded);
    const slow = model('token-delay:30', { LLM_TIMEOUT_MS: '80' });
    await expect(deltas(slow.stream(REQUEST))).rejects.toBeInstanceOf(DeadlineExceeded);
  });

  it('closes the connection when the client disconnects', async () => {
    const controller = new AbortController();
    const reason = new Error('left');
    const run = async (): Promise<void> => {
      for await (const event of model('tokens:500|token-delay:5').stream(REQUEST)) {
        if (event.type === 'delta') controller.abort(reason);
      }
    };
    await expect(runInContext(controller.signal, run)).rejects.toBe(reason);
    await until('the call is cancelled', () => provider.last.aborted);
  });

  it('closes the connection when the reader stops reading', async () => {
    for await (const event of model('tokens:500|token-delay:5').stream(REQUEST)) {
      if (event.type === 'delta') break;
    }
    await until('the call is cancelled', () => provider.last.aborted);
  });

  it('limits the size of an answer', async () => {
    await expect(model('huge').complete(REQUEST)).rejects.toBeInstanceOf(ProviderFailed);
    await until('the call is cancelled', () => provider.last.aborted);
    expect(provider.completions).toHaveLength(1);
  }, 30_000);
});
