import { requestedRange } from './byte-range.js';

describe('requestedRange', () => {
  it.each([
    [undefined, 'whole'],
    ['', 'whole'],
    ['items=0-1', 'whole'],
    ['0-1', 'whole'],
    ['bytes=0-0', { start: 0, end: 0 }],
    ['Bytes = 2-4', { start: 2, end: 4 }],
    ['bytes=7-', { start: 7, end: 9 }],
    ['bytes=7-100', { start: 7, end: 9 }],
    ['bytes=-3', { start: 7, end: 9 }],
    ['bytes=-30', { start: 0, end: 9 }],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=10-', 'unsatisfiable'],
    ['bytes=4-2', 'unsatisfiable'],
    ['bytes=40-20', 'unsatisfiable'],
    ['bytes=-', 'unsatisfiable'],
    ['bytes=', 'unsatisfiable'],
    ['bytes=a-b', 'unsatisfiable'],
    ['bytes=0-1,3-4', 'unsatisfiable'],
    ['bytes=99999999999999999999-', 'unsatisfiable'],
  ] as const)('reads %s of ten bytes', (header, expected) => {
    expect(requestedRange(header, 10)).toEqual(expected);
  });

  it('cannot satisfy any range of an empty object', () => {
    expect(requestedRange('bytes=0-', 0)).toBe('unsatisfiable');
    expect(requestedRange('bytes=-1', 0)).toBe('unsatisfiable');
    expect(requestedRange(undefined, 0)).toBe('whole');
  });
});
