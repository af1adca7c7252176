import { INVALID_RETRIEVALS } from '../../test/support/invalid-bodies.js';
import { itemsFor, readBody } from '../../test/support/read-body.js';
import { settingsWith } from '../../test/support/settings.js';
import { parseJson } from '../json/exact-json.js';
import { RetrieveDto, toRetrieveRequest } from './retrieve.dto.js';

describe('RetrieveDto', () => {
  it.each(INVALID_RETRIEVALS)('rejects a request: $why', ({ body, items }) => {
    expect(itemsFor(RetrieveDto, body)).toEqual(items);
  });

  it('has the documented defaults', () => {
    expect(toRetrieveRequest(readBody(RetrieveDto, { query: 'a' }))).toEqual({
      query: 'a',
      queryImage: null,
      filter: null,
      k: 4,
      minScore: 0,
      useReranking: null,
      useColpali: false,
      outputFormat: 'base64',
      padding: 0,
      folders: null,
      folderDepth: 0,
      endUserId: null,
    });
  });

  it('accepts null for nullable members, and ignores unknown members', () => {
    const body = {
      query: 'a',
      query_image: null,
      filters: null,
      use_reranking: null,
      use_colpali: null,
      output_format: null,
      folder_name: null,
      folder_depth: null,
      end_user_id: null,
      graph_name: 'unknown',
      hop_depth: { deep: [] },
    };
    expect(toRetrieveRequest(readBody(RetrieveDto, body))).toEqual(
      toRetrieveRequest(readBody(RetrieveDto, { query: 'a' })),
    );
  });

  it('normalises folder paths and keeps an empty list', () => {
    expect(readBody(RetrieveDto, { query: 'a', folder_name: ' a//b/ ' }).folder_name).toEqual(['/a/b']);
    expect(readBody(RetrieveDto, { query: 'a', folder_name: ['x', '/y'] }).folder_name).toEqual(['/x', '/y']);
    expect(readBody(RetrieveDto, { query: 'a', folder_name: [] }).folder_name).toEqual([]);
  });

  it('reports the location in a malformed filter together with other errors', () => {
    const items = itemsFor(RetrieveDto, {
      query: 'a',
      k: 0,
      filters: { $and: [{}, { price: { $gt: null } }] },
    });
    expect(items.map(({ loc, type }) => [loc, type])).toEqual([
      [['body', 'filters', '$and', 1, 'price', '$gt'], 'value_error'],
      [['body', 'k'], 'greater_than'],
    ]);
  });

  it('enforces the bounds from the settings', () => {
    const settings = settingsWith({ MAX_K: '10', MAX_PADDING: '2' });
    expect(itemsFor(RetrieveDto, { query: 'a', k: 10, padding: 2 }, settings)).toEqual([]);
    expect(itemsFor(RetrieveDto, { query: 'a', k: 11, padding: 3 }, settings).map(({ msg }) => msg)).toEqual([
      'Input should be less than or equal to 10',
      'Input should be less than or equal to 2',
    ]);
  });

  it('reads numbers beyond the precision of a double', () => {
    const body = parseJson('{"query":"a","min_score":0.1000000000000000055,"k":4.0}');
    expect(readBody(RetrieveDto, body)).toMatchObject({ min_score: 0.1, k: 4 });
    expect(itemsFor(RetrieveDto, parseJson('{"query":"a","k":4.00000000000000000001}'))).toEqual([
      { loc: ['body', 'k'], msg: 'Input should be a valid integer', type: 'int_type' },
    ]);
    expect(itemsFor(RetrieveDto, parseJson('{"query":"a","k":1e400}'))).toEqual([
      {
        loc: ['body', 'k'],
        msg: 'Input should be less than or equal to 2147483647',
        type: 'less_than_equal',
      },
    ]);
  });

  it('rejects reranking without a reranker', () => {
    expect(
      itemsFor(RetrieveDto, { query: 'a', use_reranking: true }, settingsWith({ RERANKER: 'none' })),
    ).toEqual([
      {
        loc: ['body', 'use_reranking'],
        msg: 'Value error, no reranker is available: RERANKER is none',
        type: 'value_error',
      },
    ]);
    expect(
      itemsFor(RetrieveDto, { query: 'a', use_reranking: false }, settingsWith({ RERANKER: 'none' })),
    ).toEqual([]);
  });

  it('accepts a query outside the Basic Multilingual Plane', () => {
    expect(itemsFor(RetrieveDto, { query: '\u{1F600}' })).toEqual([]);
  });
});
