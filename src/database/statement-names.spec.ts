import { StatementNames } from './statement-names.js';

describe('the names of statements', () => {
  const nameOf = (names: StatementNames, text: string): string | undefined => names.of(text, [1])?.name;

  it('are given from the second time on, the same for a text', () => {
    const names = new StatementNames();
    expect(names.of('select $1', [1])).toBeNull();
    const second = names.of('select $1', [2]);
    expect(second).toEqual({
      name: expect.stringMatching(/^[\w-]{43}$/) as string,
      text: 'select $1',
      values: [2],
    });
    expect(nameOf(names, 'select $1')).toBe(second?.name);
    expect(nameOf(names, 'select $1 + 1')).toBeUndefined();
    expect(nameOf(names, 'select $1 + 1')).not.toBe(second?.name);
  });

  it('are for statements with values only', () => {
    const names = new StatementNames();
    for (const values of [undefined, [], undefined, []]) expect(names.of('commit', values)).toBeNull();
  });

  it('are given to 200, whatever came once before', () => {
    const names = new StatementNames();
    for (let number = 0; number < 1_000; number += 1) nameOf(names, `select $1 + ${number}`);
    for (let number = 2_000; number < 2_201; number += 1) {
      nameOf(names, `select $1 + ${number}`);
      const name = nameOf(names, `select $1 + ${number}`);
      expect(name === undefined).toBe(number === 2_200);
    }
  });
});
