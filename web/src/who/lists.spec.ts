import { listsOf, membersOf, withKeeper, withRole } from './lists.js';

const NONE = { readers: [], writers: [], admins: [] };

describe('who can see something', () => {
  it('is everyone for what belongs to the tenant without lists, and nobody else for what belongs to a person', () => {
    expect(membersOf({ owner: null, lists: NONE, source: 'none' })).toEqual([
      { principal: 'everyone', role: 'reader' },
    ]);
    expect(membersOf({ owner: 'ann', lists: NONE, source: 'none' })).toEqual([]);
    expect(membersOf({ owner: null, lists: NONE, source: 'own' })).toEqual([]);
  });

  it('names each once with the most that they may do, and the owner not again', () => {
    const lists = {
      readers: ['user:bob', 'everyone'],
      writers: ['user:bob'],
      admins: ['user:ann', 'group:a'],
    };
    expect(membersOf({ owner: 'ann', lists, source: 'own' })).toEqual([
      { principal: 'everyone', role: 'reader' },
      { principal: 'user:bob', role: 'writer' },
      { principal: 'group:a', role: 'admin' },
    ]);
  });

  it('changes by one person or group', () => {
    const before = [{ principal: 'user:bob', role: 'reader' }] as const;
    expect(listsOf(withRole(before, 'user:bob', 'writer'))).toEqual({ ...NONE, writers: ['user:bob'] });
    expect(listsOf(withRole(before, 'group:a', 'reader'))).toEqual({
      ...NONE,
      readers: ['user:bob', 'group:a'],
    });
    expect(listsOf(withRole(before, 'user:bob', null))).toEqual(NONE);
  });

  it('keeps whoever limits a thing without an owner, so that somebody can share it again', () => {
    const bob = [{ principal: 'user:bob', role: 'reader' }] as const;
    expect(listsOf(withKeeper(bob, null, 'ann'))).toEqual({
      ...NONE,
      readers: ['user:bob'],
      admins: ['user:ann'],
    });
    expect(listsOf(withKeeper(bob, 'ann', 'ann'))).toEqual({ ...NONE, readers: ['user:bob'] });
    expect(listsOf(withKeeper(bob, null, null))).toEqual({ ...NONE, readers: ['user:bob'] });
    const all = [{ principal: 'everyone', role: 'reader' }] as const;
    expect(listsOf(withKeeper(all, null, 'ann'))).toEqual({ ...NONE, readers: ['everyone'] });
  });
});
