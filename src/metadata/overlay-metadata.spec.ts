import { omit, omitTyped, overlaid } from './overlay-metadata.js';

const FOUND = { metadata: { a: 1, b: 'x' }, metadataTypes: { a: 'number', b: 'string' } };

describe('metadata over other metadata', () => {
  it('keeps the keys of both', () => {
    expect(overlaid(FOUND, { metadata: { c: 2 }, metadataTypes: { c: 'number' } })).toEqual({
      metadata: { a: 1, b: 'x', c: 2 },
      metadataTypes: { a: 'number', b: 'string', c: 'number' },
    });
  });

  it('takes value and type of a key that both have', () => {
    expect(overlaid(FOUND, { metadata: { a: 'one' }, metadataTypes: { a: 'string' } })).toEqual({
      metadata: { a: 'one', b: 'x' },
      metadataTypes: { a: 'string', b: 'string' },
    });
  });

  it('leaves a value without a type without one, whatever type the other had', () => {
    expect(overlaid(FOUND, { metadata: { a: 'one' }, metadataTypes: {} })).toEqual({
      metadata: { a: 'one', b: 'x' },
      metadataTypes: { b: 'string' },
    });
  });

  it('takes a type for a key that only the other has', () => {
    expect(overlaid(FOUND, { metadata: {}, metadataTypes: { b: 'decimal' } })).toEqual({
      metadata: { a: 1, b: 'x' },
      metadataTypes: { a: 'number', b: 'decimal' },
    });
  });
});

describe('metadata without keys', () => {
  it('has the others, with their types, and what is no key changes nothing', () => {
    expect(omitTyped(FOUND, ['a', 'z'])).toEqual({ metadata: { b: 'x' }, metadataTypes: { b: 'string' } });
    expect(omit({ a: 1, b: 2 }, ['b'])).toEqual({ a: 1 });
  });

  it('keeps keys that JavaScript treats specially', () => {
    const values = Object.fromEntries([
      ['__proto__', 1],
      ['a', 2],
    ]);
    expect(Object.entries(omit(values, ['a']))).toEqual([['__proto__', 1]]);
  });
});
