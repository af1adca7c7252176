import { parseJson } from '../json/exact-json.js';
import { equalitiesIn } from './equalities.js';

describe('the metadata that a filter demands', () => {
  it('is the filter, if it is nothing but equalities of single values', () => {
    const filter = parseJson('{"audience": "public", "year": 2026, "draft": false}');
    expect(equalitiesIn(filter)).toBe(filter);
    expect(equalitiesIn({})).toEqual({});
  });

  it.each([
    '{"year": {"$gte": 2024}}',
    '{"$or": [{"a": 1}]}',
    '{"tags": ["a"]}',
    '{"a": null}',
    '{"a": {"b": 1}}',
    '{"a.b": 1}',
    '{"filename": "a.txt"}',
    '{"external_id": "x"}',
  ])('is unknown for %s', (filter) => {
    expect(equalitiesIn(parseJson(filter))).toBeUndefined();
  });
});
