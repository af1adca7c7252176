import { not, type Field, type Filter } from '../filter.js';
import { mergeAlternatives, mergeExclusions } from './compile-filter.js';

const a: Field = { kind: 'metadata', name: 'a', path: ['a'] };
const named: Field = { kind: 'metadata', name: 'filename.x', path: ['filename', 'x'] };
const filename: Field = { kind: 'column', column: 'filename' };
const equals = (field: Field, value: string): Filter => ({ kind: 'equals', field, value });
const within = (field: Field, ...values: string[]): Filter => ({ kind: 'in', field, values });

describe('look-ups of one field', () => {
  it('become one where one of them is enough', () => {
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

  it('become one where none of them may be', () => {
    expect(
      mergeExclusions([not(equals(a, 'x')), equals(a, 'y'), not(within(a, 'z')), not(not(equals(a, 'w')))]),
    ).toEqual([not(within(a, 'x', 'z')), equals(a, 'y'), not(not(equals(a, 'w')))]);
  });

  it('stay apart for the two names of the document', () => {
    const id: Field = { kind: 'column', column: 'external_id' };
    expect(mergeAlternatives([equals(filename, 'x'), equals(id, 'y'), equals(filename, 'z')])).toEqual([
      within(filename, 'x', 'z'),
      within(id, 'y'),
    ]);
  });

  it('stay apart for a name and a key of metadata that is called alike', () => {
    const undefinedKey: Field = { kind: 'metadata', name: 'undefined', path: ['undefined'] };
    expect(mergeAlternatives([equals(filename, 'x'), equals(undefinedKey, 'y')])).toEqual([
      within(filename, 'x'),
      within(undefinedKey, 'y'),
    ]);
  });
});
