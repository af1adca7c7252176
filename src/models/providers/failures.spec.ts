import { APIError } from 'openai';
import { DeadlineExceeded } from '../../errors/index.js';
import { failureOf, requestedDelay, type CalledProvider } from './failures.js';

const PROVIDER: CalledProvider = {
  kind: 'llm',
  label: 'The provider',
  model: 'm',
  apiKey: 'sk-0123456789',
  logsMessages: true,
};

const answered = (status: number, body: object = {}, headers: Record<string, string> = {}): Error =>
  APIError.generate(status, body, undefined, new Headers(headers));

describe('failureOf', () => {
  it.each([
    [429, {}, 429, 'The provider limits the rate of requests'],
    [429, { code: 'insufficient_quota' }, 502, 'The provider reports that its quota is used up'],
    [500, {}, 502, 'The provider failed (500)'],
    [401, {}, 502, 'The provider refused the key (401)'],
    [404, {}, 502, 'The provider does not know the model m, or its address is wrong (404)'],
    [400, { message: 'words' }, 502, 'The provider refused the request (400)'],
    [422, { code: 'sk-0123456789' }, 502, 'The provider refused the request (422)'],
    [400, { code: 'string_above_max' }, 502, 'The provider refused the request (400, string_above_max)'],
  ])('maps status %d with %j to a %d with a neutral message', (status, error, ours, message) => {
    expect(failureOf(answered(status, { error }), PROVIDER)).toMatchObject({ status: ours, message });
  });

  it.each([
    [401, {}, true],
    [404, {}, true],
    [429, { code: 'insufficient_quota' }, true],
    [429, {}, false],
    [500, {}, false],
  ])('tells for status %d with %j whether a retry fails too: %s', (status, error, isLasting) => {
    expect(failureOf(answered(status, { error }), PROVIDER)).toMatchObject({ isLasting });
  });

  it('returns domain errors unchanged', () => {
    const late = new DeadlineExceeded('late');
    expect(failureOf(late, PROVIDER)).toBe(late);
  });

  it("keeps the provider's message as the cause, without the key, when it may be logged", () => {
    const error = answered(400, { error: { message: `no: ${PROVIDER.apiKey}` } });
    const words = (failureOf(error, PROVIDER).cause as Error).message;
    expect(words).toMatch(/^BadRequestError: .*no: \[key\]/);
    expect((failureOf(error, { ...PROVIDER, logsMessages: false }).cause as Error).message).toBe(
      'BadRequestError',
    );
    expect((failureOf(error, { ...PROVIDER, apiKey: 'short' }).cause as Error).message).toBe(
      'BadRequestError',
    );
  });
});

describe('requestedDelay', () => {
  it.each([
    [{ 'retry-after': '2' }, 2_000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }, 0],
    [{ 'retry-after': '9', 'retry-after-ms': '30' }, 30],
    [{ 'retry-after': '' }, null],
    [{ 'retry-after': 'soon' }, null],
    [{}, null],
  ])('of %j is %p ms', (headers, wait) => {
    expect(requestedDelay(new Headers(headers as Record<string, string>))).toBe(wait);
  });

  it('reads a future date', () => {
    const later = new Date(Date.now() + 60_000).toUTCString();
    const wait = requestedDelay(new Headers({ 'retry-after': later }));
    expect(wait).toBeGreaterThan(55_000);
    expect(wait).toBeLessThanOrEqual(60_000);
  });
});
