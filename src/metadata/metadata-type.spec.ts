import { METADATA_TYPES, metadataTypeNamed } from './metadata-type.js';

describe('metadataTypeNamed', () => {
  it('accepts the type names', () => {
    expect(METADATA_TYPES.map(metadataTypeNamed)).toEqual(METADATA_TYPES);
    expect(METADATA_TYPES).toEqual([
      'string',
      'number',
      'decimal',
      'boolean',
      'datetime',
      'date',
      'array',
      'object',
      'null',
    ]);
  });

  it.each([
    ['string', ['str', 'text', 'STR', 'Text']],
    ['number', ['int', 'integer', 'long', 'double', 'float', 'numeric', 'Int', 'FLOAT']],
    ['boolean', ['bool', 'Bool']],
    ['datetime', ['timestamp', 'TIMESTAMP']],
    ['array', ['list', 'List']],
    ['object', ['dict', 'map', 'MAP']],
  ])('accepts aliases of %s in any case', (type, aliases) => {
    for (const alias of aliases) expect([alias, metadataTypeNamed(alias)]).toEqual([alias, type]);
  });

  it.each(['', ' ', 'varchar', 'strings', 'xtext', '__proto__', 'constructor', 'undefined'])(
    'rejects %j',
    (name) => {
      expect(metadataTypeNamed(name)).toBeUndefined();
    },
  );
});
