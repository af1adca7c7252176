import { type Permission, scopeOf } from '../auth/scope.js';
import { reachesNamedTalk, reachesTalk, talkOwner, talkReader } from './talk.js';

const caller = (permission: Permission, endUserId: string | null = null) =>
  scopeOf('acme', [permission], 'k', { endUserId });
const [APPLICATION, ADMIN] = [caller('query'), caller('admin')];
const [ANN, BOSS] = [caller('query', 'ann'), caller('admin', 'boss')];

describe('talk', () => {
  it.each([
    ['an application', APPLICATION, null, 'key:k'],
    ['an application for a person', APPLICATION, 'ann', 'user:ann'],
    ['an administrator', ADMIN, null, null],
    ['an administrator for a person', ADMIN, 'ann', 'user:ann'],
    ['a person', ANN, null, 'user:ann'],
    ['an administrator who is a person', BOSS, null, 'user:boss'],
  ])('that %s begins belongs to %s', (_, by, named, owner) => {
    expect(talkOwner(by, named)).toBe(owner);
  });

  it.each([
    ['an application: its own, and older talk of any key', APPLICATION, null, [['key:k', 'key:*']]],
    ['an application for a person: the person’s', APPLICATION, 'ann', [['user:ann']]],
    ['a person: the person’s', ANN, null, [['user:ann']]],
    ['an administrator who is a person: the person’s', BOSS, null, [['user:boss']]],
    ['an administrator for a person: the person’s', ADMIN, 'ann', [['user:ann']]],
  ])('is reached by %s', (_, by, named, values) => {
    for (const condition of [
      reachesTalk(by, { endUserId: named }),
      reachesTalk(by, { endUserId: named, own: true }),
    ]) {
      expect([condition.text, condition.values]).toEqual(['c.readers && $1::text[]', values]);
    }
    expect(reachesTalk(by, { endUserId: named, own: false }).text).toBe('false');
  });

  it('of the whole tenant is reached by an administrator who names nobody', () => {
    const reached = (own: boolean | null): string => reachesTalk(ADMIN, { endUserId: null, own }).text;
    expect([null, true, false].map(reached)).toEqual(['true', 'c.owner is null', 'c.owner is not null']);
  });

  it('of people is reached by their names only in the OpenAI protocol', () => {
    expect(reachesNamedTalk(ADMIN, null).text).toBe("true and (c.owner is null or c.owner like 'key:%')");
    expect(reachesNamedTalk(ADMIN, 'ann').text).toBe('c.readers && $1::text[]');
  });

  it('is read as the person whom the request names', () => {
    expect(talkReader(APPLICATION, 'ann')).toMatchObject({ endUserId: 'ann', reach: 'granted' });
    expect(talkReader(APPLICATION, null)).toBe(APPLICATION);
    expect(talkReader(ANN, null)).toBe(ANN);
  });
});
