import { translatePattern } from './pattern.js';
import { WorkBudget } from './complexity.js';

const TOGETHER = { defect: 'the patterns of the filter are too complex together' };

describe('the work that the patterns of a filter may cost', () => {
  it('is enough to its last unit', () => {
    const budget = new WorkBudget(10);
    expect([budget.isTouched, budget.spend(4), budget.isTouched, budget.spend(6), budget.spend(1)]).toEqual([
      false,
      true,
      true,
      true,
      false,
    ]);
  });

  it('is shared: two patterns that pass alone may be too much together', () => {
    const budget = new WorkBudget();
    const [one, other] = ['a'.repeat(1_000), 'b'.repeat(1_000)];
    expect(translatePattern(other, '')).toHaveProperty('are');
    expect(translatePattern(one, '', budget)).toHaveProperty('are');
    expect(translatePattern(other, '', budget)).toEqual(TOGETHER);
    expect(translatePattern('x', '', budget)).toEqual(TOGETHER); // not looked into any more
  });

  it('is hardly touched by ordinary patterns', () => {
    const budget = new WorkBudget();
    for (let number = 0; number < 32; number += 1) {
      const source = `^(error|warning)-${number}[0-9]{4}.*(timeout|refused)$`;
      expect(translatePattern(source, 'i', budget)).toHaveProperty('are');
    }
  });

  it('is spent on compiling, too', () => {
    const budget = new WorkBudget(50_000);
    expect(translatePattern('(?:abc){300}', '', budget)).toEqual(TOGETHER);
  });

  it('blames a pattern for itself when it is the first', () => {
    expect(translatePattern('[ab]*a[ab]{999}c', '', new WorkBudget())).toEqual({
      defect: 'the pattern is too complex: it has too many ways to match the same text',
    });
  });
});
