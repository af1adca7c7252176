import type { Invalid } from '../../errors/index.js';
import { parseAttributeFilter } from './filter.js';

const field = (name: string) => ({ kind: 'metadata', name, path: [name] });

describe('a filter over attributes', () => {
  it('compares an attribute without path syntax, and escapes reserved names', () => {
    expect(parseAttributeFilter({ type: 'eq', key: 'a.b', value: 1 }, ['body'])).toEqual({
      kind: 'equals',
      field: field('a.b'),
      value: 1,
    });
    expect(parseAttributeFilter({ type: 'gt', key: 'filename', value: 'x' }, ['body'])).toEqual({
      kind: 'compares',
      field: field('~filename'),
      order: 'gt',
      operand: 'x',
    });
  });

  it('negates for ne and nin, and combines filters', () => {
    const filters = [
      { type: 'ne', key: 'k', value: true },
      {
        type: 'or',
        filters: [
          { type: 'nin', key: 'k', value: ['a', 2] },
          { type: 'in', key: 'k', value: [] },
        ],
      },
    ];
    expect(parseAttributeFilter({ type: 'and', filters }, ['body'])).toEqual({
      kind: 'all',
      filters: [
        { kind: 'not', filter: { kind: 'equals', field: field('k'), value: true } },
        {
          kind: 'any',
          filters: [
            { kind: 'not', filter: { kind: 'in', field: field('k'), values: ['a', 2] } },
            { kind: 'in', field: field('k'), values: [] },
          ],
        },
      ],
    });
  });

  it('reports every error at its location', () => {
    const filters = [
      { type: 'eq', key: 1, value: 'x' },
      { type: 'toString' },
      7,
      { type: 'lt', key: 'k', value: [] },
    ];
    try {
      parseAttributeFilter({ type: 'or', filters }, ['filters']);
      throw new Error('it was taken');
    } catch (error) {
      expect((error as Invalid).items.map(({ loc }) => loc.join('.'))).toEqual([
        'filters.filters.0.key',
        'filters.filters.1.type',
        'filters.filters.2',
        'filters.filters.3.value',
      ]);
    }
  });

  it('limits depth and number of comparisons', () => {
    let nested: object = { type: 'eq', key: 'k', value: 1 };
    for (let depth = 0; depth < 101; depth += 1) nested = { type: 'and', filters: [nested] };
    expect(() => parseAttributeFilter(nested, [])).toThrow('at most 100 levels');
    const many = Array.from({ length: 1_001 }, () => ({ type: 'eq', key: 'k', value: 1 }));
    expect(() => parseAttributeFilter({ type: 'or', filters: many }, [])).toThrow('at most 1000 predicates');
  });
});
