import { StatementNames } from './statement-names.js';

describe('StatementNames', () => {
  const nameOf = (names: StatementNames, text: string): string | undefined => names.of(text, [1])?.name;

  it('names a statement from its second execution on, by its text', () => {
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

  it('names only statements with values', () => {
    const names = new StatementNames();
    for (const values of [undefined, [], undefined, []]) expect(names.of('commit', values)).toBeNull();
  });

  it('names at most 200 statements, not counting statements executed once', () => {
    const names = new StatementNames();
    for (let number = 0; number < 1_000; number += 1) nameOf(names, `select $1 + ${number}`);
    for (let number = 2_000; number < 2_201; number += 1) {
      nameOf(names, `select $1 + ${number}`);
      const name = nameOf(names, `select $1 + ${number}`);
      expect(name === undefined).toBe(number === 2_200);
    }
  });
});
