import {
  compile,
  decompile,
  newCondition,
  newGroup,
  textOf,
  valueOf,
  type FilterJson,
} from './filter-tree.js';

describe('a filter of the builder', () => {
  it('is compiled to the shortest form', () => {
    const group = newGroup('all', [
      newCondition({ field: 'kind', value: 'report' }),
      newCondition({ field: 'year', operator: '$gte', value: '2024' }),
      newCondition({ field: '' }),
    ]);
    expect(compile(group).json).toEqual({ kind: 'report', year: { $gte: 2024 } });
  });

  it('has field names without surrounding spaces', () => {
    const spaced = newCondition({ field: ' kind ', value: 'report' });
    const { json, locations } = compile(newGroup('all', [spaced]));
    expect(json).toEqual({ kind: 'report' });
    expect(locations.get(spaced.id)).toEqual(['kind']);
    const twice = [spaced, newCondition({ field: 'kind', value: 'note' })];
    expect(compile(newGroup('all', twice)).json).toEqual({ $and: [{ kind: 'report' }, { kind: 'note' }] });
  });

  it('is null without conditions', () => {
    expect(compile(newGroup('any', [newCondition(), newGroup('all', [newCondition()])])).json).toBeNull();
  });

  it('has the location of each condition', () => {
    const [low, high] = [
      newCondition({ field: 'price', operator: '$gt', value: '1' }),
      newCondition({ field: 'price', operator: '$lt', value: '9' }),
    ];
    const { json, locations } = compile(newGroup('all', [low, high]));
    expect(json).toEqual({ $and: [{ price: { $gt: 1 } }, { price: { $lt: 9 } }] });
    expect(locations.get(high.id)).toEqual(['$and', 1, 'price']);
  });

  it.each<FilterJson>([
    { kind: 'report', year: { $gte: 2024 } },
    { $or: [{ tags: 'astronomy' }, { 'authors.name': { $regex: '^vela' } }] },
    { $and: [{ price: { $gt: 1 } }, { $or: [{ a: true }, { b: null }] }] },
    { code: { $in: ['5', 5, 'x y'] }, name: { $contains: '12' } },
    { size: '12', empty: '', spaced: ' a ', list: [1, 2] },
    { draft: { $exists: false } },
  ])('is restored from its JSON: %j', (filter) => {
    const tree = decompile(filter);
    expect(tree && compile(tree).json).toEqual(filter);
  });

  it.each<FilterJson>([
    { $nor: [{ a: 1 }] },
    { a: { $not: { $gt: 1 } } },
    { a: { $regex: { pattern: 'x' } } },
  ])('is edited as JSON only if the builder cannot display it: %j', (filter) => {
    expect(decompile(filter)).toBeNull();
  });

  it('parses values that look like numbers as numbers, and quoted values as text', () => {
    expect(['5', '05', '-1.5e3', '"5"', 'true', 'True'].map(valueOf)).toEqual([
      5,
      '05',
      -1500,
      '5',
      true,
      'True',
    ]);
    expect([5, '5', 'five', 'true', true].map(textOf)).toEqual(['5', '"5"', 'five', '"true"', 'true']);
  });
});
