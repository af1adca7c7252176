import { describeCompilation } from '../../../test/filters/compiled-example.js';
import { ExactNumber } from '../../json/exact-json.js';
import { compileFilter } from './compile-filter.js';
import { EVERYTHING } from '../filter.js';
import { parseFilter } from '../parse/parse-filter.js';

describeCompilation('equality over metadata', [
  {
    title: 'a string is looked up in the index',
    filter: { kind: { $eq: 'report' } },
    text: 'd.metadata @? $1::jsonpath',
    values: ['$."kind" ? (@.type() == "string" && @ == "report")'],
    selects: ['report', 'tagged'],
  },
  {
    title: 'a number also finds the decimals that equal it',
    filter: { price: 0.1 },
    text: '(d.metadata @? $1::jsonpath or d.metadata @? $2::jsonpath and coalesce(d.metadata_types ->> $3::text = $4::text, false))',
    values: [
      '$."price" ? (@.type() == "number" && @ == 0.1)',
      '$."price" ? (@.type() == "string" && @ == "0.1")',
      'price',
      'decimal',
    ],
    selects: ['report', 'note'],
  },
  {
    title: 'a number beyond double precision keeps its digits',
    filter: { size: new ExactNumber('9007199254740993') },
    text: '(d.metadata @? $1::jsonpath or d.metadata @? $2::jsonpath and coalesce(d.metadata_types ->> $3::text = $4::text, false))',
    values: [
      '$."size" ? (@.type() == "number" && @ == 9007199254740993)',
      '$."size" ? (@.type() == "string" && @ == "9007199254740993")',
      'size',
      'decimal',
    ],
    selects: ['report'],
  },
  {
    title: 'a numeric string finds decimals by value and strings as they are',
    filter: { price: '0.10' },
    text: '(d.metadata @? $1::jsonpath or d.metadata @? $2::jsonpath and coalesce(d.metadata_types ->> $3::text = $4::text, false))',
    values: [
      '$."price" ? (@.type() == "string" && @ == "0.10")',
      '$."price" ? (@.type() == "string" && @ == "0.1")',
      'price',
      'decimal',
    ],
    selects: ['report', 'tagged'],
  },
  {
    title: 'a boolean is not a number',
    filter: { flag: true },
    text: 'd.metadata @? $1::jsonpath',
    values: ['$."flag" ? (@.type() == "boolean" && @ == true)'],
    selects: ['report'],
  },
  {
    title: 'null finds nulls, missing fields and arrays with a null',
    filter: { tags: null },
    text: 'd.metadata @? $1::jsonpath',
    values: ['$ ? ((!exists(@."tags") || exists($."tags" ? (@.type() == "null"))))'],
    selects: ['report', 'note', 'nested', 'authored', 'anonymous', 'exact', 'empty'],
  },
  {
    title: 'an array is compared as a whole and with the elements',
    filter: { tags: ['a', 'b'] },
    text: "(d.metadata @> $1::jsonb or d.metadata @> $2::jsonb) and case jsonb_typeof(d.metadata -> $3::text) when 'array' then (d.metadata -> $4::text) = any($5::jsonb[]) or exists (select from jsonb_array_elements((d.metadata -> $6::text)) as v where v = any($7::jsonb[])) else coalesce((d.metadata -> $8::text) = any($9::jsonb[]), false) end",
    values: [
      '{"tags":["a","b"]}',
      '{"tags":[["a","b"]]}',
      'tags',
      'tags',
      ['["a","b"]'],
      'tags',
      ['["a","b"]'],
      'tags',
      ['["a","b"]'],
    ],
    selects: ['tagged', 'nested'],
  },
  {
    title: 'an object is compared without key order',
    filter: { author: { age: 3, name: 'Ann' } },
    text: "(d.metadata @> $1::jsonb or d.metadata @> $2::jsonb) and case jsonb_typeof(d.metadata -> $3::text) when 'array' then (d.metadata -> $4::text) = any($5::jsonb[]) or exists (select from jsonb_array_elements((d.metadata -> $6::text)) as v where v = any($7::jsonb[])) else coalesce((d.metadata -> $8::text) = any($9::jsonb[]), false) end",
    values: [
      '{"author":{"age":3,"name":"Ann"}}',
      '{"author":[{"age":3,"name":"Ann"}]}',
      'author',
      'author',
      ['{"age":3,"name":"Ann"}'],
      'author',
      ['{"age":3,"name":"Ann"}'],
      'author',
      ['{"age":3,"name":"Ann"}'],
    ],
    selects: ['authored'],
  },
  {
    title: 'an empty object is not contained in everything',
    filter: { author: {} },
    text: "(d.metadata @> $1::jsonb or d.metadata @> $2::jsonb) and case jsonb_typeof(d.metadata -> $3::text) when 'array' then (d.metadata -> $4::text) = any($5::jsonb[]) or exists (select from jsonb_array_elements((d.metadata -> $6::text)) as v where v = any($7::jsonb[])) else coalesce((d.metadata -> $8::text) = any($9::jsonb[]), false) end",
    values: [
      '{"author":{}}',
      '{"author":[{}]}',
      'author',
      'author',
      ['{}'],
      'author',
      ['{}'],
      'author',
      ['{}'],
    ],
    selects: ['anonymous'],
  },
  {
    title: 'a date finds dates and date-times of that instant',
    filter: { due: '2024-01-01' },
    text: "(d.metadata @? $1::jsonpath or case d.metadata_types ->> $2::text when 'date' then coalesce(((d.metadata ->> $3::text) || ' UTC')::timestamptz = any($4::timestamptz[]), false) when 'datetime' then coalesce(((d.metadata ->> $5::text) || case when substr((d.metadata ->> $6::text), 11) ~ '[-+Zz]' then '' else ' UTC' end)::timestamptz = any($7::timestamptz[]), false) else false end)",
    values: [
      '$."due" ? (@.type() == "string" && @ == "2024-01-01")',
      'due',
      'due',
      ['2024-01-01T00:00:00Z'],
      'due',
      'due',
      ['2024-01-01T00:00:00Z'],
    ],
    selects: ['report', 'note', 'nested'],
  },
  {
    title: 'a dotted name reads objects and arrays',
    filter: { 'authors.name': 'Ann' },
    text: 'd.metadata @? $1::jsonpath',
    values: [
      '$ ? ((exists($."authors.name" ? (@.type() == "string" && @ == "Ann")) || exists($ ? (!exists(@."authors.name"))."authors"."name" ? (@.type() == "string" && @ == "Ann"))))',
    ],
    selects: ['authored', 'exact'],
  },
  {
    title: 'null on a dotted name finds the objects without the key',
    filter: { 'authors.name': null },
    text: 'd.metadata @? $1::jsonpath',
    values: [
      '$ ? ((((!exists(@."authors.name") && (!exists(@."authors") || (@."authors".type() != "object" && @."authors".type() != "array") || exists(@."authors" ? (@.type() == "object" && !exists(@."name"))))) || exists($."authors.name" ? (@.type() == "null"))) || exists($ ? (!exists(@."authors.name"))."authors"."name" ? (@.type() == "null"))))',
    ],
    selects: ['report', 'note', 'tagged', 'nested', 'anonymous', 'empty'],
  },
  {
    title: 'a dotted name with a container',
    filter: { 'authors.tags': ['x'] },
    text: 'exists (select from unnest($1::jsonpath[]) as path cross join lateral jsonb_path_query(d.metadata, path) as v where v = any($2::jsonb[]))',
    values: [
      [
        '$."authors.tags"',
        '$."authors.tags"[*]',
        '$ ? (!exists(@."authors.tags"))."authors"."tags"',
        '$ ? (!exists(@."authors.tags"))."authors"."tags"[*]',
      ],
      ['["x"]'],
    ],
    selects: ['authored'],
  },
  {
    title: 'several values need one lookup',
    filter: { kind: { $in: ['report', 'note', 7, null, ['x']] } },
    text: "(d.metadata @? $1::jsonpath or (d.metadata @> $2::jsonb or d.metadata @> $3::jsonb) and case jsonb_typeof(d.metadata -> $4::text) when 'array' then (d.metadata -> $5::text) = any($6::jsonb[]) or exists (select from jsonb_array_elements((d.metadata -> $7::text)) as v where v = any($8::jsonb[])) else coalesce((d.metadata -> $9::text) = any($10::jsonb[]), false) end or d.metadata @? $11::jsonpath and coalesce(d.metadata_types ->> $12::text = $13::text, false) or d.metadata @? $14::jsonpath)",
    values: [
      '$."kind" ? ((@.type() == "string" && (@ == "report" || @ == "note") || @.type() == "number" && @ == 7))',
      '{"kind":["x"]}',
      '{"kind":[["x"]]}',
      'kind',
      'kind',
      ['["x"]'],
      'kind',
      ['["x"]'],
      'kind',
      ['["x"]'],
      '$."kind" ? (@.type() == "string" && @ == "7")',
      'kind',
      'decimal',
      '$ ? ((!exists(@."kind") || exists($."kind" ? (@.type() == "null"))))',
    ],
    selects: ['report', 'note', 'tagged', 'nested', 'authored', 'exact', 'empty'],
  },
  {
    title: 'several numbers use the hash index, also as decimals',
    filter: { price: { $in: [0.1, 7, 8] } },
    text: "(coalesce((d.metadata -> $1::text) = any($2::jsonb[]), false) or jsonb_typeof(d.metadata -> $3::text) = 'array' and d.metadata @? $4::jsonpath or coalesce((d.metadata ->> $5::text) = any($6::text[]), false) and coalesce(d.metadata_types ->> $7::text = $8::text, false)) and d.metadata_hashes && hash_metadata($9::jsonb)",
    values: [
      'price',
      ['0.1', '7', '8'],
      'price',
      '$."price" ? (@.type() == "number" && ((@ == 0.1 || @ == 7) || @ == 8))',
      'price',
      ['0.1', '7', '8'],
      'price',
      'decimal',
      '{"price":[0.1,7,8,"0.1","7","8"]}',
    ],
    selects: ['report', 'note'],
  },
  {
    title: 'several texts use the hash index, also in arrays',
    filter: { tags: { $in: ['b', 'y', 'z'] } },
    text: "(coalesce((d.metadata -> $1::text) = any($2::jsonb[]), false) or jsonb_typeof(d.metadata -> $3::text) = 'array' and d.metadata @? $4::jsonpath) and d.metadata_hashes && hash_metadata($5::jsonb)",
    values: [
      'tags',
      ['"b"', '"y"', '"z"'],
      'tags',
      '$."tags" ? (@.type() == "string" && ((@ == "b" || @ == "y") || @ == "z"))',
      '{"tags":["b","y","z"]}',
    ],
    selects: ['tagged'],
  },
  {
    title: 'an empty $in matches nothing',
    filter: { kind: { $in: [] } },
    text: 'false',
    values: [],
    selects: [],
  },
  {
    title: 'an empty $nin matches everything',
    filter: { kind: { $nin: [] } },
    text: 'not (false)',
    values: [],
    selects: ['report', 'note', 'tagged', 'nested', 'authored', 'anonymous', 'exact', 'empty'],
  },
]);

describe('equality with one of many values', () => {
  const compiled = (values: readonly unknown[]) => {
    const { text, values: parameters } = compileFilter(
      parseFilter({ a: { $in: values } }, ['filters']) ?? EVERYTHING,
    );
    return { text, parameters };
  };
  const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
  const words = (count: number) => numbers(count).map((number) => `w${number}`);
  const IN_HASH =
    "case jsonb_typeof(d.metadata -> $1::text) when 'array' then (d.metadata -> $2::text) = any($3::jsonb[]) or exists (select from jsonb_array_elements((d.metadata -> $4::text)) as v where v = any($5::jsonb[])) else coalesce((d.metadata -> $6::text) = any($7::jsonb[]), false) end";

  const IS_SCALAR =
    "coalesce((d.metadata -> $1::text) = any($2::jsonb[]), false) or jsonb_typeof(d.metadata -> $3::text) = 'array' and d.metadata @? $4::jsonpath";
  const hashed = (place: number) => ` and d.metadata_hashes && hash_metadata($${place}::jsonb)`;

  it('uses a jsonpath for two values', () => {
    expect(compiled(words(2)).text).toBe('d.metadata @? $1::jsonpath');
    expect(compiled(words(3)).text).not.toBe('d.metadata @? $1::jsonpath');
  });

  it('uses the hash index for up to 64 values, and a test without a subquery', () => {
    const { text, parameters } = compiled(words(64));
    expect(text).toBe(`(${IS_SCALAR})${hashed(5)}`);
    const json = words(64).map((word) => JSON.stringify(word));
    expect(parameters.filter((_, index) => index !== 3)).toEqual([
      'a',
      json,
      'a',
      `{"a":[${json.join(',')}]}`,
    ]);
    expect(String(parameters[3]).match(/@ == "w\d+"/g)).toHaveLength(64);
  });

  it('uses an array comparison without an index for more values', () => {
    const { text, parameters } = compiled(words(65));
    expect(text).toBe(IN_HASH);
    const json = words(65).map((word) => JSON.stringify(word));
    expect(parameters).toEqual(['a', 'a', json, 'a', json, 'a', json]);
  });

  it('compares decimals in the same way', () => {
    const isDecimal = (place: number) =>
      `coalesce(d.metadata_types ->> $${place}::text = $${place + 1}::text, false)`;
    const asText = (place: number) =>
      `coalesce((d.metadata ->> $${place}::text) = any($${place + 1}::text[]), false)`;
    expect(compiled(numbers(2)).text).toBe(
      `(d.metadata @? $1::jsonpath or d.metadata @? $2::jsonpath and ${isDecimal(3)})`,
    );
    expect(compiled(numbers(3)).text).toBe(`(${IS_SCALAR} or ${asText(5)} and ${isDecimal(7)})${hashed(9)}`);
    expect(compiled(numbers(3)).parameters.slice(4)).toEqual([
      'a',
      ['0', '1', '2'],
      'a',
      'decimal',
      '{"a":[0,1,2,"0","1","2"]}',
    ]);
    expect(compiled(numbers(65)).text).toBe(`(${IN_HASH} or ${asText(8)} and ${isDecimal(10)})`);
    expect(compiled(numbers(65)).parameters.slice(7)).toEqual(['a', numbers(65).map(String), 'a', 'decimal']);
  });

  it.each([
    ['a null', [1, 2, 3, null]],
    ['a date', [1, 2, 3, '2024-01-01']],
    ['an object', [1, 2, 3, {}]],
  ])('does not use the hash index if the values include %s', (_, values) => {
    expect(compiled(values).text).not.toContain('metadata_hashes');
  });

  it('does not use the hash index for a dotted name or an exclusion', () => {
    const textOf = (filter: object) => compileFilter(parseFilter(filter, []) ?? EVERYTHING).text;
    expect(textOf({ 'a.b': { $in: numbers(3) } })).not.toContain('metadata_hashes');
    expect(textOf({ a: { $nin: numbers(3) } })).not.toContain('metadata_hashes');
  });

  it('uses containment for up to 64 objects', () => {
    const objects = (count: number) => numbers(count).map((number) => ({ n: number }));
    expect(compiled(objects(64)).text).toMatch(/^\((d\.metadata @> \$\d+::jsonb( or )?){128}\) and case /);
    expect(compiled(objects(65)).text).toBe(IN_HASH);
  });

  it('compares decimals under the exact name only', () => {
    const { parameters } = { parameters: compileFilter(parseFilter({ 'a.b': 5 }, []) ?? EVERYTHING).values };
    expect(parameters).toContain('$."a.b" ? (@.type() == "string" && @ == "5")');
  });
});

describe('equality as a test of rows already read', () => {
  const textOf = (filter: object): string =>
    compileFilter(parseFilter(filter, []) ?? EVERYTHING, 'test').text;

  it('uses a jsonpath for up to two values', () => {
    const filter = { kind: { $in: ['a', 'b'] } };
    expect(textOf(filter)).toBe(compileFilter(parseFilter(filter, []) ?? EVERYTHING).text);
  });

  it('uses a hash table for more values, without index conditions', () => {
    expect(textOf({ kind: { $in: ['a', 'b', 'c'] } })).toBe(
      "case jsonb_typeof(d.metadata -> $1::text) when 'array' then (d.metadata -> $2::text) = any($3::jsonb[]) or exists (select from jsonb_array_elements((d.metadata -> $4::text)) as v where v = any($5::jsonb[])) else coalesce((d.metadata -> $6::text) = any($7::jsonb[]), false) end",
    );
    expect(textOf({ $not: { kind: { $in: [1, 2, 3] } } })).not.toContain('@?');
    expect(textOf({ kind: ['a'] })).not.toContain('@>');
  });
});
