import { INVALID_UPDATES } from '../../../test/support/invalid-bodies.js';
import { itemsFor, readBody } from '../../../test/support/read-body.js';
import { parseJson, printJson } from '../../json/exact-json.js';
import { toTextUpdate, UpdateTextDto, UpdateStrategyQuery } from './update-text.dto.js';

describe('a text update', () => {
  it.each(INVALID_UPDATES)('is rejected for $why', ({ body, items }) => {
    expect(itemsFor(UpdateTextDto, body)).toEqual(items);
  });

  it('rejects an unknown strategy', () => {
    expect(itemsFor(UpdateStrategyQuery, { update_strategy: 'prepend' })).toMatchObject([
      { loc: ['body', 'update_strategy'], type: 'enum', msg: "Input should be 'add' or 'replace'" },
    ]);
  });

  it('appends and keeps the file name by default', () => {
    const [body, query] = [readBody(UpdateTextDto, { content: 'a' }), new UpdateStrategyQuery()];
    expect(toTextUpdate(body, query, { UPDATE_STRATEGY: 'add' })).toEqual({
      strategy: 'add',
      content: 'a',
      filename: null,
      metadata: {},
      metadataTypes: null,
      useColpali: null,
      rules: [],
    });
  });

  it('uses the configured strategy by default', () => {
    const body = readBody(UpdateTextDto, { content: 'a' });
    const replacing = { UPDATE_STRATEGY: 'replace' } as const;
    expect(toTextUpdate(body, new UpdateStrategyQuery(), replacing).strategy).toBe('replace');
    const query = readBody(UpdateStrategyQuery, { update_strategy: 'add' });
    expect(toTextUpdate(body, query, replacing).strategy).toBe('add');
  });

  it('keeps metadata exactly: long numbers, nulls and keys that JavaScript treats specially', () => {
    const text = '{"__proto__":{"constructor":null},"n":9007199254740993,"then":[{}]}';
    const body = parseJson(`{"content":"a","metadata":${text}}`);
    expect(printJson(readBody(UpdateTextDto, body).metadata)).toBe(text);
  });

  it('leaves reserved keys to the service, which reads the document', () => {
    expect(itemsFor(UpdateTextDto, { content: 'a', metadata: { filename: 'x' } })).toEqual([]);
  });

  it('parses rules of both kinds', () => {
    const rules = [
      { type: 'metadata_extraction', schema: { a: { type: 'string' } } },
      { type: 'natural_language', prompt: 'Shorten.', stage: 'post_chunking' },
    ];
    expect(readBody(UpdateTextDto, { content: 'a', rules }).rules).toEqual([
      {
        type: 'metadata_extraction',
        stage: 'post_parsing',
        schema: {
          type: 'object',
          properties: { a: { type: ['string', 'null'] } },
          required: ['a'],
          additionalProperties: false,
        },
        types: {},
      },
      { type: 'natural_language', prompt: 'Shorten.', stage: 'post_chunking' },
    ]);
  });

  it('rejects JSON nested deeper than the database can store', () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    const body = parseJson(`{"content":"a","metadata":{"a":${deep}},"ignored":${deep}}`);
    expect(itemsFor(UpdateTextDto, body)).toEqual([
      {
        loc: ['body', 'metadata'],
        msg: 'Value error, JSON must not be nested deeper than 500 levels',
        type: 'value_error',
      },
    ]);
  });
});
