import { parseFilter } from './parse-filter.js';
import { translatePattern } from '../regex/pattern.js';

const a = { kind: 'metadata', name: 'a', path: ['a'] };

describe('parseFilter', () => {
  it.each([
    ['a value', { a: 1 }, { kind: 'equals', field: a, value: 1 }],
    ['an array', { a: [1] }, { kind: 'equals', field: a, value: [1] }],
    ['an object', { a: { b: 1 } }, { kind: 'equals', field: a, value: { b: 1 } }],
    ['an empty object', { a: {} }, { kind: 'equals', field: a, value: {} }],
    [
      'an object with nested operators',
      { a: { b: { $gt: 1 } } },
      { kind: 'equals', field: a, value: { b: { $gt: 1 } } },
    ],
    ['an operand with $ keys', { a: { $eq: { $gt: 1 } } }, { kind: 'equals', field: a, value: { $gt: 1 } }],
    ['$ne', { a: { $ne: null } }, { kind: 'not', filter: { kind: 'equals', field: a, value: null } }],
    ['an order comparison', { a: { $lte: 'x' } }, { kind: 'compares', field: a, order: 'lte', operand: 'x' }],
    ['$in', { a: { $in: [1, [2]] } }, { kind: 'in', field: a, values: [1, [2]] }],
    ['$nin', { a: { $nin: [] } }, { kind: 'not', filter: { kind: 'in', field: a, values: [] } }],
    ['$exists', { a: { $exists: true } }, { kind: 'exists', field: a }],
    ['absence', { a: { $exists: false } }, { kind: 'not', filter: { kind: 'exists', field: a } }],
    [
      'type aliases without duplicates',
      { a: { $type: ['INT', 'double', 'Map'] } },
      { kind: 'has-type', field: a, types: ['number', 'object'] },
    ],
    [
      'a pattern',
      { a: { $regex: 'x.' } },
      { kind: 'matches', field: a, pattern: translatePattern('x.', '') },
    ],
    [
      'flags',
      { a: { $regex: { pattern: 'x.', flags: 'i' }, $options: 's' } },
      { kind: 'matches', field: a, pattern: translatePattern('x.', 'is') },
    ],
    ['text', { a: { $contains: 'x' } }, { kind: 'contains-text', field: a, text: 'x', caseSensitive: false }],
    [
      'text with case',
      { a: { $contains: { value: 'x', case_sensitive: true } } },
      { kind: 'contains-text', field: a, text: 'x', caseSensitive: true },
    ],
    [
      '$contains with a boolean',
      { a: { $contains: false } },
      { kind: 'has-element', field: a, value: false },
    ],
    [
      'a dotted name',
      { 'a.b..c': 1 },
      { kind: 'equals', field: { kind: 'metadata', name: 'a.b..c', path: ['a', 'b', '', 'c'] }, value: 1 },
    ],
    [
      'a reserved name',
      { filename: 'x' },
      { kind: 'equals', field: { kind: 'column', column: 'filename' }, value: 'x' },
    ],
    [
      'a reserved name as a prefix',
      { 'external_id.x': 1 },
      {
        kind: 'equals',
        field: { kind: 'metadata', name: 'external_id.x', path: ['external_id', 'x'] },
        value: 1,
      },
    ],
    [
      'several operators',
      { a: { $gt: 1, $lt: 3 } },
      {
        kind: 'all',
        filters: [
          { kind: 'compares', field: a, order: 'gt', operand: 1 },
          { kind: 'compares', field: a, order: 'lt', operand: 3 },
        ],
      },
    ],
    [
      'alternatives within a field',
      { a: { $or: [{ $gt: 1 }, { $exists: false }] } },
      {
        kind: 'any',
        filters: [
          { kind: 'compares', field: a, order: 'gt', operand: 1 },
          { kind: 'not', filter: { kind: 'exists', field: a } },
        ],
      },
    ],
    [
      '$nor inside a field',
      { a: { $nor: [{ $gt: 1 }] } },
      { kind: 'not', filter: { kind: 'compares', field: a, order: 'gt', operand: 1 } },
    ],
    [
      'a negation inside a field',
      { a: { $not: { $and: [{ $gt: 1 }] } } },
      { kind: 'not', filter: { kind: 'compares', field: a, order: 'gt', operand: 1 } },
    ],
    [
      'an empty filter inside',
      { $or: [{}, { a: 1 }] },
      {
        kind: 'any',
        filters: [
          { kind: 'all', filters: [] },
          { kind: 'equals', field: a, value: 1 },
        ],
      },
    ],
    ['a negated empty filter', { $not: {} }, { kind: 'not', filter: { kind: 'all', filters: [] } }],
    [
      '$nor of several',
      { $nor: [{ a: 1 }, { a: 2 }] },
      {
        kind: 'not',
        filter: {
          kind: 'any',
          filters: [
            { kind: 'equals', field: a, value: 1 },
            { kind: 'equals', field: a, value: 2 },
          ],
        },
      },
    ],
  ])('%s', (_, filter, tree) => {
    expect(parseFilter(filter, ['filters'])).toEqual(tree);
  });

  it('treats __proto__ and constructor as ordinary names', () => {
    const filter: unknown = JSON.parse('{"__proto__": 1, "constructor": {"$gt": 2}}');
    expect(parseFilter(filter, ['filters'])).toEqual({
      kind: 'all',
      filters: [
        { kind: 'equals', field: { kind: 'metadata', name: '__proto__', path: ['__proto__'] }, value: 1 },
        {
          kind: 'compares',
          field: { kind: 'metadata', name: 'constructor', path: ['constructor'] },
          order: 'gt',
          operand: 2,
        },
      ],
    });
  });

  it('accepts a name of 1,024 characters and a path of 100 levels', () => {
    expect(parseFilter({ ['😀'.repeat(1_024)]: 1 }, [])).toMatchObject({
      field: { name: '😀'.repeat(1_024) },
    });
    expect(parseFilter({ ['a.'.repeat(99) + 'a']: 1 }, [])).toMatchObject({
      field: { path: Array(100).fill('a') },
    });
  });
});
