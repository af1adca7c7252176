import { fc } from '../../test/support/properties.js';
import { checkedKey, objectKey } from './object-key.js';

describe('objectKey', () => {
  it('has one segment for each part', () => {
    expect(objectKey('acme', '0b7c-9', 'report.pdf')).toBe('acme/0b7c-9/report.pdf');
  });

  it.each([
    ['../../etc/passwd', '_2e._2f.._2fetc_2fpasswd'],
    ['.', '_2e'],
    ['Acme', '_41cme'],
    ['a_b', 'a_5fb'],
    ['größe', 'gr_c3_b6_c3_9fe'],
    ['a\0\n', 'a_00_0a'],
  ])('writes %j as %s', (part, segment) => {
    expect(objectKey(part)).toBe(segment);
  });

  it('rejects an empty part', () => {
    expect(() => objectKey('acme', '')).toThrow('empty');
  });

  it('produces keys that stores accept, within the limits of file systems, from any parts', () => {
    const part = fc.string({ unit: 'binary', minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(part, part, (a, b) => {
        const key = objectKey(a, b);
        expect(checkedKey(key)).toBe(key);
        expect(key.split('/')).toHaveLength(2);
        expect(Math.max(...key.split('/').map((segment) => segment.length))).toBeLessThanOrEqual(200);
      }),
    );
  });

  it('maps different parts to different keys, even on case-insensitive stores', () => {
    const part = fc.oneof(
      fc.string({ unit: fc.constantFrom('a', 'A', '_', '.', '4', '1'), minLength: 1, maxLength: 6 }),
      fc.string({ unit: fc.constantFrom('ä', 'Ä'), minLength: 60, maxLength: 64 }),
    );
    fc.assert(
      fc.property(part, part, (a, b) => {
        fc.pre(a !== b);
        expect(objectKey(a).toLowerCase()).not.toBe(objectKey(b).toLowerCase());
      }),
      { numRuns: 1_000 },
    );
  });
});
