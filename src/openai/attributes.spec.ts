import { fc } from '../../test/support/properties.js';
import { ExactNumber } from '../json/exact-json.js';
import { attributesOf, metadataOf, typed } from './attributes.js';

describe('attributes as metadata', () => {
  it('escape reserved names and escaped names, and are restored unchanged', () => {
    const attributes = { filename: 'a', '~filename': 'b', '~~': 'c', owner_id: 'd', year: 2026, open: true };
    const metadata = metadataOf(attributes);
    expect(Object.keys(metadata)).toEqual(['~filename', '~~filename', '~~~', '~owner_id', 'year', 'open']);
    expect(attributesOf(metadata)).toEqual(attributes);
  });

  it('remain distinct under distinct names', () => {
    const name = fc.string({
      unit: fc.constantFrom('~', 'filename', 'owner_id', 'x'),
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(fc.dictionary(name, fc.integer(), { maxKeys: 16 }), (attributes) => {
        expect(attributesOf(metadataOf(attributes))).toEqual(attributes);
      }),
    );
  });

  it('declare every type, so that a string in the format of a time remains a string', () => {
    expect(typed({ day: '2026-01-31T12:00:00Z', year: 2026, open: false }).metadataTypes).toEqual({
      day: 'string',
      year: 'number',
      open: 'boolean',
    });
  });

  it('omit metadata of other documents that is not a valid attribute', () => {
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, number) => [`k${number}`, number]));
    const metadata = { list: [1], none: null, nested: {}, long: 'x'.repeat(513), ['n'.repeat(65)]: 1 };
    expect(attributesOf({ ...metadata, kept: 'x', exact: new ExactNumber('0.10') })).toEqual({
      kept: 'x',
      exact: 0.1,
    });
    expect(Object.keys(attributesOf(many))).toHaveLength(16);
  });
});
