import { requestIdOf } from './request-observation.js';

const GENERATED = /^[0-9a-f-]{36}$/;

describe('the request id', () => {
  it.each(['abc-123', 'x'.repeat(128), '~!@#'])('is that of the caller: %s', (given) => {
    expect(requestIdOf({ 'x-request-id': given })).toBe(given);
  });

  it.each([['x'.repeat(129)], ['with space'], ['tab\t'], ['ümlaut'], ['']])(
    'is a new one in place of an unfit one: %j',
    (given) => {
      expect(requestIdOf({ 'x-request-id': given })).toMatch(GENERATED);
    },
  );

  it('is a new one for every request that brings none', () => {
    expect(requestIdOf({})).not.toBe(requestIdOf({}));
  });
});
