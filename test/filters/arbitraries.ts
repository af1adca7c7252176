import { fc } from '../support/properties.js';
import { METADATA_TYPES } from '../../src/metadata/metadata-type.js';
import { ExactNumber } from '../../src/json/exact-json.js';

/** Few names and values, so that filters match documents often; all edge cases are included. */
const KEYS = [
  'a',
  'b',
  'c',
  '0',
  '1',
  'a.b',
  'b.0',
  "it's",
  'q"uote',
  'back\\slash',
  '100%',
  '_',
  '漢字',
  'e\u0301',
  'é',
];
const ODD_KEYS = ['', '.', 'a.', '$1', ':name', '?', '__proto__', 'constructor', 'a..b', ' '];

const STRINGS = [
  '',
  'a',
  'A',
  'ab',
  'mas',
  'mast',
  '5',
  '0.10',
  "it's",
  'q"uote',
  'back\\slash',
  '100%',
  '_',
  '$1',
  ':name',
  '?',
  '漢字かな',
  'e\u0301',
  'é',
  'É',
  '\ufffd',
  '😀',
  'line\nline',
  'Kelvin \u212a',
  'null',
  '2024-01-01',
  '2024-01-01T00:00:00Z',
  '2024-01-01T01:00:00+01:00',
  '2024-01-01T00:00:00',
  '2024-01-01T00:00:00.000001Z',
  '2023-12-31T23:59:59.5-05:00',
];

const NUMBERS = [
  0,
  1,
  2,
  5,
  -1,
  0.1,
  0.5,
  1e21,
  1e-7,
  9007199254740992,
  new ExactNumber('9007199254740993'),
  new ExactNumber('-1234567890123456789'),
  new ExactNumber('1234567890123456788'),
  new ExactNumber('0.1000000000000000055'),
];

const scalar = fc.oneof(
  { arbitrary: fc.constantFrom(...NUMBERS), weight: 4 },
  { arbitrary: fc.constantFrom(...STRINGS), weight: 4 },
  { arbitrary: fc.boolean(), weight: 1 },
);
const key = fc.oneof({ arbitrary: fc.constantFrom(...KEYS), weight: 8 }, fc.constantFrom(...ODD_KEYS));

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'value' },
    { arbitrary: scalar, weight: 5 },
    { arbitrary: fc.constant(null), weight: 1 },
    { arbitrary: fc.array(tie('value'), { maxLength: 3, depthIdentifier: 'value' }), weight: 3 },
    { arbitrary: objectOf(tie('value')), weight: 3 },
  ),
}));

function objectOf(member: fc.Arbitrary<unknown>): fc.Arbitrary<Record<string, unknown>> {
  return fc
    .array(fc.tuple(key, member), { maxLength: 3, depthIdentifier: 'value' })
    .map((entries) => Object.fromEntries(entries));
}

/**
 * Values in ascending order, of the types that the table `metadata_order` keeps. The elements of a random array and the
 * operands of a range are near each other, so a range often holds some elements of an array and not its first or last.
 */
const ASCENDING: readonly (readonly [unknown, ...unknown[]])[] = [
  ['a', 'ma', 'mas', 'mast', 'master', 'mat', 'z'],
  [-2, -1, 0, 1, 2, 3, 5],
];

/** An array of one type. */
const row = fc
  .constantFrom(...ASCENDING)
  .chain((values) => fc.array(fc.constantFrom(...values), { minLength: 1, maxLength: 4 }));

/** One or two order comparisons of one field with values of one type. A single value need not meet both. */
const range = fc
  .constantFrom(...ASCENDING)
  .chain((values) =>
    fc.array(fc.tuple(fc.constantFrom('$gt', '$gte', '$lt', '$lte'), fc.constantFrom(...values)), {
      minLength: 1,
      maxLength: 2,
    }),
  )
  .map((entries) => Object.fromEntries(entries));

const DECLARED = {
  decimal: ['0.10', '5', '0.1', '-1', '1234567890123456788'],
  date: ['2024-01-01', '2023-12-31'],
};

/** Metadata with declared types; other tests cover reserved keys. */
export const documents = fc.record({
  filename: fc.option(fc.constantFrom(...STRINGS)),
  metadata: fc
    .tuple(
      fc.array(fc.tuple(key, value), { maxLength: 5 }),
      fc.array(fc.tuple(fc.constantFrom('a', 'b'), row), { maxLength: 2 }),
    )
    .map((entries) => Object.fromEntries(entries.flat())),
  typed: fc.array(
    fc.oneof(
      fc.tuple(
        fc.constantFrom('a', 'b', 'a.b'),
        fc.constant('decimal'),
        fc.constantFrom(...DECLARED.decimal),
      ),
      fc.tuple(fc.constantFrom('a', 'b', 'a.b'), fc.constant('date'), fc.constantFrom(...DECLARED.date)),
      fc.tuple(fc.constantFrom('a', 'b', 'a.b'), fc.constant('string'), fc.constantFrom(...STRINGS)),
    ),
    { maxLength: 1 },
  ),
});

const field = fc
  .oneof(
    { arbitrary: fc.array(key, { minLength: 1, maxLength: 4 }).map((keys) => keys.join('.')), weight: 5 },
    { arbitrary: fc.constantFrom('a', 'b', 'a.b', 'a.0', 'a.b.0', 'a.0.b', 'b.a', 'a.b.c'), weight: 8 },
    { arbitrary: fc.constantFrom('filename', 'external_id'), weight: 1 },
  )
  .filter((name) => name !== '' && !name.startsWith('$'));

/** Patterns with the same meaning in RE2 and in JavaScript's `u` mode. */
const pattern = fc.constantFrom(
  'a',
  '^a',
  'b$',
  '^$',
  '[a-c]+',
  '.',
  'K',
  '漢.か',
  '\\d+',
  '(?:a|é)',
  'e\u0301',
  '\\.',
  '^.{2,4}$',
  '\\\\',
  '%',
  '^line$',
);
const flags = fc.constantFrom('', 'i', 's', 'm', 'im');
const types = fc.constantFrom(...METADATA_TYPES, 'Text', 'INT', 'map');
const plain = fc
  .oneof(scalar, fc.constant(null), fc.array(scalar, { maxLength: 2 }), value)
  .filter((each) => !hasOperatorKeys(each));

function hasOperatorKeys(each: unknown): boolean {
  return typeof each === 'object' && each !== null && Object.keys(each).some((name) => name.startsWith('$'));
}

/** Several scalars for `$in`: of any type, or numbers only. */
const several = fc.oneof(
  fc.array(scalar, { minLength: 3, maxLength: 8 }),
  fc.array(fc.constantFrom(...NUMBERS), { minLength: 3, maxLength: 8 }),
);

const members = fc.oneof(fc.array(value, { maxLength: 3 }), several);

/** Operands of the operators that compare a field. */
const OPERANDS: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  $eq: value,
  $ne: value,
  $gt: scalar,
  $gte: scalar,
  $lt: scalar,
  $lte: scalar,
  $in: members,
  $nin: members,
  $exists: fc.boolean(),
  $type: fc.oneof(types, fc.array(types, { minLength: 1, maxLength: 2 })),
  $regex: fc.oneof(pattern, fc.record({ pattern, flags })),
  $contains: fc.oneof(
    fc.constantFrom(...STRINGS, 'K', 'k', 'INE'),
    fc.constantFrom(...NUMBERS),
    fc.boolean(),
    fc.record({ value: fc.constantFrom(...STRINGS), case_sensitive: fc.boolean() }),
  ),
};

const comparison = fc.oneof(
  ...Object.entries(OPERANDS).map(([operator, operand]) => fc.tuple(fc.constant(operator), operand)),
);

const operators = fc.letrec<{ operators: Record<string, unknown> }>((tie) => {
  const nested = fc.array(tie('operators'), { minLength: 1, maxLength: 2 });
  const one = fc.oneof(
    { maxDepth: 2, depthIdentifier: 'operators' },
    { arbitrary: comparison, weight: 8 },
    fc.tuple(fc.constant('$not'), tie('operators')),
    fc.tuple(fc.constantFrom('$and', '$or', '$nor'), nested),
  );
  return {
    operators: fc
      .array(one, { minLength: 1, maxLength: 2, depthIdentifier: 'operators' })
      .map((entries) => Object.fromEntries(entries)),
  };
}).operators;

export const filters = fc.letrec<{ filter: Record<string, unknown> }>((tie) => ({
  filter: fc
    .array(
      fc.oneof(
        { maxDepth: 2, depthIdentifier: 'filter' },
        { arbitrary: fc.tuple(field, fc.oneof({ arbitrary: operators, weight: 3 }, plain)), weight: 5 },
        { arbitrary: fc.tuple(fc.constantFrom('a', 'b'), range), weight: 1 },
        {
          // Comparisons of the fields that often have arrays, outside of alternatives, so that an index may serve them.
          arbitrary: fc.tuple(
            fc.constantFrom('a', 'b'),
            comparison.map((one) => Object.fromEntries([one])),
          ),
          weight: 4,
        },
        fc.tuple(fc.constant('$not'), tie('filter')),
        fc.tuple(
          fc.constantFrom('$and', '$or', '$nor'),
          fc.array(tie('filter'), { minLength: 1, maxLength: 2 }),
        ),
      ),
      { minLength: 0, maxLength: 2, depthIdentifier: 'filter' },
    )
    .map((entries) => Object.fromEntries(entries)),
})).filter;
