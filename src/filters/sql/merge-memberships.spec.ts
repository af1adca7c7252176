import { not, type Field, type Filter } from '../filter.js';
import { mergeAlternatives, mergeExclusions } from './compile-filter.js';

const a: Field = { kind: 'metadata', name: 'a', path: ['a'] };
const named: Field = { kind: 'metadata', name: 'filename.x', path: ['filename', 'x'] };
const filename: Field = { kind: 'column', column: 'filename' };
const equals = (field: Field, value: string): Filter => ({ kind: 'equals', field, value });
const within = (field: Field, ...values: string[]): Filter => ({ kind: 'in', field, values });

describe('memberships of one field', () => {
  it('are merged in a disjunction', () => {
    const exists: Filter = { kind: 'exists', field: a };
    expect(
      mergeAlternatives([
        equals(a, 'x'),
        exists,
        equals(filename, 'y'),
        within(a, 'z', 'w'),
        equals(named, 'v'),
        not(equals(a, 'u')),
      ]),
    ).toEqual([
      within(a, 'x', 'z', 'w'),
      within(filename, 'y'),
      within(named, 'v'),
      exists,
      not(equals(a, 'u')),
    ]);
  });

  it('are merged in a conjunction of exclusions', () => {
    expect(
      mergeExclusions([not(equals(a, 'x')), equals(a, 'y'), not(within(a, 'z')), not(not(equals(a, 'w')))]),
    ).toEqual([not(within(a, 'x', 'z')), equals(a, 'y'), not(not(equals(a, 'w')))]);
  });

  it('are not merged across the two reserved names', () => {
    const id: Field = { kind: 'column', column: 'external_id' };
    expect(mergeAlternatives([equals(filename, 'x'), equals(id, 'y'), equals(filename, 'z')])).toEqual([
      within(filename, 'x', 'z'),
      within(id, 'y'),
    ]);
  });

  it('are not merged across a reserved name and a metadata key of the same name', () => {
    const undefinedKey: Field = { kind: 'metadata', name: 'undefined', path: ['undefined'] };
    expect(mergeAlternatives([equals(filename, 'x'), equals(undefinedKey, 'y')])).toEqual([
      within(filename, 'x'),
      within(undefinedKey, 'y'),
    ]);
  });
});
