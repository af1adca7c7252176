import { readFileSync } from 'node:fs';
import { envExample } from './env-example.js';
import { readSettings } from './read-settings.js';
import { definition } from './settings.js';

describe('.env.example', () => {
  it('is committed as it is made: run `npm run env` after a change', () => {
    expect(readFileSync('.env.example', 'utf8')).toBe(envExample());
  });

  it('names every setting, and its values are the defaults', () => {
    const values = envExample()
      .split('\n')
      .flatMap((line) => /^# ([A-Z0-9_]+)=(.*)$/.exec(line)?.slice(1, 3) ?? [])
      .reduce<[string, string][]>((pairs, part, index, all) => {
        if (index % 2 === 0) pairs.push([part, all[index + 1] ?? '']);
        return pairs;
      }, []);
    expect(values.map(([name]) => name)).toEqual(Object.keys(definition));
    expect(readSettings(Object.fromEntries(values))).toEqual(readSettings({}));
  });
});
