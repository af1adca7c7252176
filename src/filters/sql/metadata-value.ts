import sql, { type Sql } from 'sql-template-tag';
import type { MetadataType } from '../../metadata/metadata-type.js';
import { choose, FALSE } from './expressions.js';
import { anyOf, isOfType, isTopLevel, valuePaths, type MetadataField } from './metadata-jsonpath.js';

/** The value under the exact name of the field; NULL where it is missing. */
export function valueOf(field: MetadataField): Sql {
  return sql`(d.metadata -> ${field.name}::text)`;
}

/** The same as text: a string without its quotes. */
export function textOf(field: MetadataField): Sql {
  return sql`(d.metadata ->> ${field.name}::text)`;
}

/** The JSON type of the same; NULL where it is missing. */
export function typeOf(field: MetadataField): Sql {
  return sql`jsonb_typeof(d.metadata -> ${field.name}::text)`;
}

/** Whether one of the paths finds something. Lax paths raise no error, so the result is never NULL. */
export function findsAny(paths: readonly string[]): Sql {
  const [only = ''] = paths;
  const path = paths.length === 1 ? only : `$ ? (${anyOf(paths.map((each) => `exists(${each})`))})`;
  return sql`d.metadata @? ${path}::jsonpath`;
}

/** Whether a value, or an element of an array value, passes a jsonpath test of `@`. The index over the metadata serves it. */
export function somePasses(field: MetadataField, test: string): Sql {
  return findsAny(valuePaths(field).map((path) => `${path} ? (${test})`));
}

/**
 * Whether a string passes a test that jsonpath does not have.
 * @param test of a text expression; it may be NULL where the text is.
 */
export function someText(field: MetadataField, test: (text: Sql) => Sql): Sql {
  const element = test(sql`(v #>> '{}')`);
  if (!isTopLevel(field)) {
    const strings = valuePaths(field).map((path) => `${path} ? (${isOfType('string')})`);
    return someFound(strings, element);
  }
  const value = valueOf(field);
  const elements = sql`exists (select from jsonb_array_elements(${value}) as v where jsonb_typeof(v) = 'string' and ${element})`;
  return choose(typeOf(field), { string: test(textOf(field)), array: elements }, FALSE);
}

/**
 * Whether a value, or an element of an array value, passes a test of jsonb that jsonpath does not have.
 * @param test of a jsonb expression; it may be NULL where that is.
 */
export function someValue(field: MetadataField, test: (value: Sql) => Sql): Sql {
  const element = test(sql`v`);
  if (!isTopLevel(field)) {
    return someFound(
      valuePaths(field).flatMap((path) => [path, `${path}[*]`]),
      element,
    );
  }
  const value = valueOf(field);
  const elements = sql`exists (select from jsonb_array_elements(${value}) as v where ${element})`;
  return choose(
    typeOf(field),
    { array: sql`${test(value)} or ${elements}` },
    sql`coalesce(${test(value)}, false)`,
  );
}

function someFound(paths: readonly string[], test: Sql): Sql {
  return sql`exists (select from unnest(${paths}::jsonpath[]) as path cross join lateral jsonb_path_query(d.metadata, path) as v where ${test})`;
}

/**
 * Tests of decimals, dates and date-times, which are stored as strings and compared as what they are. `metadata_types`
 * names such a type only for a value that was checked when it was written, so a cast after a test of the type cannot
 * fail; the test is a CASE, because PostgreSQL evaluates AND in any order.
 */
export interface TypedTests {
  readonly decimal: Sql;
  readonly date: Sql;
  readonly datetime: Sql;
  readonly other: Sql;
}

export function byType(field: MetadataField, tests: TypedTests): Sql {
  const { other, ...typed } = tests;
  return choose(declaredType(field), typed, other);
}

export function isStringTyped(field: MetadataField, type: MetadataType): Sql {
  return sql`coalesce(${declaredType(field)} = ${type}::text, false)`;
}

export function asDecimal(field: MetadataField): Sql {
  return sql`${textOf(field)}::numeric`;
}

/** Midnight UTC. */
export function asDate(field: MetadataField): Sql {
  return sql`(${textOf(field)} || ' UTC')::timestamptz`;
}

/** Without an offset it is UTC, whatever the time zone of the session. */
export function asInstant(field: MetadataField): Sql {
  const text = textOf(field);
  return sql`(${text} || case when substr(${text}, 11) ~ '[-+Zz]' then '' else ' UTC' end)::timestamptz`;
}

function declaredType(field: MetadataField): Sql {
  return sql`d.metadata_types ->> ${field.name}::text`;
}
