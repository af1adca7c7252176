import { CompletionService } from '../../support/completion-service.js';
import { streamedText, readEvents, type ReceivedEvent } from '../../support/event-stream.js';
import { USUAL_ANSWER } from '../../support/fake-provider/answers.js';
import { PROVIDER_WORDS } from '../../support/fake-provider/failures.js';

/** Nothing listens there. */
const DEAD = 'http://127.0.0.1:1/v1';
const SCHEMA = { type: 'object', required: ['weight'], properties: { weight: { type: 'integer' } } };

/** The outcome of a request: an HTTP error, or a success; for a stream also an `error` event after deltas. */
interface Outcome {
  readonly status: number;
  readonly detail?: RegExp;
  readonly retryAfter?: number;
  readonly completion?: unknown;
  readonly finish?: string;
  readonly usage?: number;
  /** The failure occurred after the stream began. */
  readonly afterDeltas?: boolean;
  /** The chat keeps the beginning of the answer. */
  readonly isKept?: boolean;
  /** Calls that reach the provider. */
  readonly calls: number;
}

interface Case {
  readonly behaviour: string;
  readonly body?: object;
  readonly config?: object;
  readonly plain: Outcome;
  /** Like `plain` unless given. */
  readonly streamed?: Outcome;
}

const fails = (status: number, detail: RegExp, calls: number, more: Partial<Outcome> = {}): Outcome => ({
  status,
  detail,
  calls,
  ...more,
});
const answers = (completion: unknown, more: Partial<Outcome> = {}): Outcome => ({
  status: 200,
  completion,
  finish: 'stop',
  usage: 18,
  calls: 1,
  ...more,
});
const USUAL = answers(USUAL_ANSWER);
const LATE = fails(504, /^The model did not answer within 400 ms$/, 1);
const BROKEN_OFF = fails(502, /broke off|incomplete response|unreadable response|could not be reached/, 1, {
  afterDeltas: true,
  isKept: true,
});
const SHAPED = { body: { schema: SCHEMA } };

const CASES: readonly Case[] = [
  { behaviour: 'plain', plain: USUAL },
  { behaviour: 'delay:5000', config: { timeout: 0.4 }, plain: LATE },
  { behaviour: 'hangs', config: { timeout: 0.4 }, plain: LATE },
  {
    behaviour: 'token-delay:90',
    config: { timeout: 0.4 },
    plain: USUAL,
    streamed: { ...LATE, afterDeltas: true, isKept: true },
  },
  {
    behaviour: 'status:429|retry-after:600',
    plain: fails(429, /limits the rate/, 1, { retryAfter: 600 }),
  },
  { behaviour: 'status:429|retry-after:0', plain: fails(429, /limits the rate/, 3, { retryAfter: 1 }) },
  { behaviour: 'status:429', config: { num_retries: 0 }, plain: fails(429, /limits the rate/, 1) },
  { behaviour: 'status:429x1|retry-after:0', plain: { ...USUAL, calls: 2 } },
  { behaviour: 'status:500', plain: fails(502, /failed \(500\)$/, 3) },
  { behaviour: 'status:500x2', plain: { ...USUAL, calls: 3 } },
  { behaviour: 'status:503', plain: fails(502, /failed \(503\)$/, 3) },
  { behaviour: 'status:401', plain: fails(502, /refused the key \(401\)$/, 1) },
  { behaviour: 'status:403', plain: fails(502, /refused the key \(403\)$/, 1) },
  { behaviour: 'status:404', plain: fails(502, /does not know the model/, 1) },
  { behaviour: 'status:400', plain: fails(502, /refused the request \(400\)$/, 1) },
  { behaviour: 'window:20', plain: fails(502, /set context_window or LLM_CONTEXT_WINDOW$/, 1) },
  { behaviour: 'garbage', plain: fails(502, /unreadable response|empty stream/, 3) },
  { behaviour: 'html', plain: fails(502, /unreadable response|no completion|empty stream/, 3) },
  { behaviour: 'empty', plain: fails(502, /no completion|empty stream/, 3) },
  { behaviour: 'dies', plain: fails(502, /could not be|incomplete response/, 3) },
  { behaviour: 'breaks', plain: fails(502, /could not be|incomplete response/, 3), streamed: BROKEN_OFF },
  { behaviour: 'stops-early', plain: USUAL, streamed: BROKEN_OFF },
  { behaviour: 'error-event', plain: USUAL, streamed: BROKEN_OFF },
  { behaviour: 'redirects:http://127.0.0.1:1/', plain: fails(502, /redirects are not followed$/, 1) },
  { behaviour: 'plain', config: { api_base: DEAD }, plain: fails(502, /could not be reached$/, 0) },
  { behaviour: 'text:', plain: answers('') },
  { behaviour: 'finish:content_filter', plain: { ...USUAL, finish: 'content_filter' } },
  { behaviour: 'finish:length', plain: { ...USUAL, finish: 'length' } },
  { behaviour: 'refuses', plain: USUAL },
  {
    behaviour: 'text:It weighs two kilograms [[99]] [[x] [nothing.pdf, page 3].',
    body: { inline_citations: true },
    plain: answers('It weighs two kilograms.'),
  },
  { behaviour: 'obeys', ...SHAPED, plain: answers({ weight: 1 }) },
  { behaviour: 'obeys|no-schema-mode', ...SHAPED, plain: answers({ weight: 1 }, { calls: 2 }) },
  { behaviour: 'obeys|no-json-mode', ...SHAPED, plain: answers({ weight: 1 }, { calls: 3 }) },
  { behaviour: 'obeys|prose', ...SHAPED, plain: answers({ weight: 1 }) },
  { behaviour: 'obeys-after-repair', ...SHAPED, plain: answers({ weight: 1 }, { calls: 2, usage: 36 }) },
  ...['never-obeys', 'echoes-schema', 'text:just prose'].map((behaviour) => ({
    behaviour,
    ...SHAPED,
    plain: fails(502, /is not valid against the schema/, 2),
    streamed: fails(502, /is not valid against the schema/, 2, { afterDeltas: true }),
  })),
  { behaviour: 'text:', ...SHAPED, plain: fails(502, /is not valid against the schema/, 2) },
  {
    behaviour: 'json:{"weight": |finish:length',
    ...SHAPED,
    plain: fails(502, /truncated at the token limit/, 2),
    streamed: fails(502, /truncated at the token limit/, 2, { afterDeltas: true }),
  },
  {
    behaviour: 'status:429|retry-after:9',
    ...SHAPED,
    plain: fails(429, /limits the rate/, 1),
    config: { num_retries: 0 },
  },
];

describe('a provider that', () => {
  let home: CompletionService;
  beforeAll(async () => {
    home = await CompletionService.start({ LLM_ALLOWED_BASES: DEAD });
  });
  afterAll(() => home.stop());

  function ask(name: string, { behaviour, body, config }: Case, streamed: boolean): Promise<Response> {
    return home.service.client.fetch('POST', '/query', {
      body: {
        query: 'How many kilograms does the blue device weigh?',
        chat_id: name,
        stream_response: streamed,
        llm_config: { model: `${behaviour}|${name}`, ...config },
        ...body,
      },
    });
  }

  async function expectStored(name: string, { completion, isKept = false }: Outcome): Promise<void> {
    const chat = await home.service.client.get(`/chat/${encodeURIComponent(name)}`);
    if (isKept) {
      const [, { content, stopped }] = chat.json() as [object, { content: string; stopped?: boolean }];
      expect([stopped, USUAL_ANSWER.startsWith(content), content === '']).toEqual([true, true, false]);
      return;
    }
    if (completion === undefined) {
      expect([chat.status, chat.json()]).toEqual([404, { detail: 'Chat not found' }]);
      return;
    }
    const answer = typeof completion === 'string' ? completion : JSON.stringify(completion);
    expect(chat.json()).toMatchObject([{ role: 'user' }, { role: 'assistant', content: answer }]);
  }

  async function expectError(response: Response, { status, detail, retryAfter }: Outcome): Promise<void> {
    const text = await response.text();
    expect([response.status, text]).toEqual([status, expect.stringContaining('"detail"')]);
    expect((JSON.parse(text) as { detail: unknown }).detail).toMatch(detail ?? /./);
    expect(text).not.toContain(PROVIDER_WORDS);
    if (retryAfter !== undefined) expect(response.headers.get('retry-after')).toBe(String(retryAfter));
  }

  describe.each(
    CASES.map((one, index) => ({
      ...one,
      index,
      shape: one.body === undefined ? '' : JSON.stringify(one.body),
    })),
  )('is $behaviour $shape', (one) => {
    const { plain, streamed = plain, index } = one;

    it('whole', async () => {
      const name = `case:${index}`;
      const response = await ask(name, one, false);
      if (plain.status === 200) {
        const body = (await response.json()) as { completion: unknown; usage: object; finish_reason: string };
        expect(body).toMatchObject({
          completion: plain.completion,
          usage: { total_tokens: plain.usage },
          finish_reason: plain.finish,
        });
      } else await expectError(response, plain);
      expect(home.provider.callsTo(name)).toHaveLength(plain.calls);
      await expectStored(name, plain);
    });

    it('as a stream', async () => {
      const name = `case:${index}-streamed`;
      const response = await ask(name, one, true);
      if (streamed.status === 200) expectDone(await readEvents(response), streamed);
      else if (streamed.afterDeltas === true) expectErrorEvent(await readEvents(response), streamed);
      else await expectError(response, streamed);
      expect(home.provider.callsTo(name)).toHaveLength(streamed.calls);
      await expectStored(name, streamed);
    });
  });
});

/** Expects deltas, then exactly one `done`, with ids from 0. */
function expectDone(events: readonly ReceivedEvent[], { completion, usage, finish }: Outcome): void {
  expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => index));
  expect(events.slice(0, -1).every(({ type }) => type === 'assistant')).toBe(true);
  const done = events.at(-1);
  expect(done).toMatchObject({ type: 'done', usage: { total_tokens: usage }, finish_reason: finish });
  if (typeof completion === 'string') {
    expect(streamedText(events)).toBe(completion);
    expect(done).not.toHaveProperty('completion');
  } else expect(done?.['completion']).toEqual(completion);
}

/** Expects deltas, then exactly one `error`. */
function expectErrorEvent(events: readonly ReceivedEvent[], { status, detail }: Outcome): void {
  expect(events.length).toBeGreaterThan(1);
  expect(events.slice(0, -1).every(({ type }) => type === 'assistant')).toBe(true);
  expect(events.at(-1)).toEqual({
    type: 'error',
    id: events.length - 1,
    status,
    detail: expect.stringMatching(detail ?? /./) as string,
  });
  expect(JSON.stringify(events)).not.toContain(PROVIDER_WORDS);
}
