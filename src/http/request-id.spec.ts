import { requestIdOf } from './request-observation.js';

const GENERATED = /^[0-9a-f-]{36}$/;

describe('the request id', () => {
  it.each(['abc-123', 'x'.repeat(128), '~!@#'])("is the caller's: %s", (given) => {
    expect(requestIdOf({ 'x-request-id': given })).toBe(given);
  });

  it.each([['x'.repeat(129)], ['with space'], ['tab\t'], ['ümlaut'], ['']])(
    'is generated instead of an invalid one: %j',
    (given) => {
      expect(requestIdOf({ 'x-request-id': given })).toMatch(GENERATED);
    },
  );

  it('is generated for every request without one', () => {
    expect(requestIdOf({})).not.toBe(requestIdOf({}));
  });
});
