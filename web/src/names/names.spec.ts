import { until } from '../../../test/support/until.js';
import { Names } from './names.js';

const PEOPLE: Readonly<Record<string, string>> = { 'user:ann': 'Ann Lee', 'group:sales': 'Sales' };

describe('the names of people and groups', () => {
  const asked: string[][] = [];
  let fails = false;
  const load = (ids: string[]) => {
    asked.push(ids);
    if (fails) return Promise.reject(new Error('the service is not there'));
    const named = ids.flatMap((id) => (PEOPLE[id] === undefined ? [] : [{ id, name: PEOPLE[id] }]));
    return Promise.resolve(named);
  };
  beforeEach(() => {
    asked.length = 0;
    fails = false;
  });

  it('are loaded together and once, and until then and without a name the id is shown', async () => {
    const names = new Names(load);
    let told = 0;
    const stop = names.follow(() => (told += 1));
    names.want(['user:ann', 'user:old']);
    names.want(['group:sales', 'user:ann']);
    expect(names.of('user:ann')).toBe('ann');
    await until('the names are told', () => told === 1);
    names.want(['user:ann', 'user:old', 'user:new']);
    await until('the other name is told', () => told === 2);
    expect(asked).toEqual([['user:ann', 'user:old', 'group:sales'], ['user:new']]);
    expect(['user:ann', 'user:old', 'group:sales'].map((id) => names.of(id))).toEqual([
      'Ann Lee',
      'old',
      'Sales',
    ]);
    stop();
    names.learn([{ id: 'user:old', name: 'Old' }]);
    expect([told, names.of('user:old')]).toEqual([2, 'Old']);
  });

  it('are asked for in requests of at most fifty', async () => {
    const names = new Names(load);
    names.want(Array.from({ length: 120 }, (_, index) => `user:${index}`));
    await until('all are asked for', () => asked.length === 3);
    expect(asked.map(({ length }) => length)).toEqual([50, 50, 20]);
  });

  it('are asked for again after a failure', async () => {
    const names = new Names(load);
    fails = true;
    await until('it is asked for again', () => {
      names.want(['user:ann']);
      return asked.length === 2;
    });
    fails = false;
    await until('the name is known', () => {
      names.want(['user:ann']);
      return names.of('user:ann') === 'Ann Lee';
    });
  });
});
