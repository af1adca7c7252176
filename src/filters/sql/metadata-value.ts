import sql, { type Sql } from 'sql-template-tag';
import type { MetadataType } from '../../metadata/metadata-type.js';
import { choose, FALSE } from './expressions.js';
import { anyOf, isOfType, isTopLevel, valuePaths, type MetadataField } from './metadata-jsonpath.js';

/** Returns the value under the exact name of the field; NULL if missing. */
export function valueOf(field: MetadataField): Sql {
  return sql`(d.metadata -> ${field.name}::text)`;
}

/** Returns the value under the exact name as text, a string without its quotes; NULL if missing. */
export function textOf(field: MetadataField): Sql {
  return sql`(d.metadata ->> ${field.name}::text)`;
}

/** Returns the JSON type of the value under the exact name; NULL if missing. */
export function typeOf(field: MetadataField): Sql {
  return sql`jsonb_typeof(d.metadata -> ${field.name}::text)`;
}

/** Tests whether one of the paths matches. Lax paths raise no errors, so that the result is never NULL. */
export function findsAny(paths: readonly string[]): Sql {
  const [only = ''] = paths;
  const path = paths.length === 1 ? only : `$ ? (${anyOf(paths.map((each) => `exists(${each})`))})`;
  return sql`d.metadata @? ${path}::jsonpath`;
}

/** Tests values and array elements with a jsonpath test of `@`. Uses the index over the metadata. */
export function somePasses(field: MetadataField, test: string): Sql {
  return findsAny(valuePaths(field).map((path) => `${path} ? (${test})`));
}

/**
 * Tests strings with a SQL test that jsonpath cannot express.
 * @param test test of a text expression; may return NULL for a NULL text.
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
 * Tests values and array elements with a SQL test of jsonb that jsonpath cannot express.
 * @param test test of a jsonb expression; may return NULL for a NULL value.
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
 * Tests by declared type for decimals, dates and date-times, which are stored as strings. Writes validate values of these
 * types, so that a cast after the type test cannot fail. The type test is a CASE, since PostgreSQL evaluates AND in any
 * order.
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

/** Returns a date as midnight UTC. */
export function asDate(field: MetadataField): Sql {
  return sql`(${textOf(field)} || ' UTC')::timestamptz`;
}

/** Returns a date-time as an instant. A missing offset means UTC, regardless of the session's time zone. */
export function asInstant(field: MetadataField): Sql {
  const text = textOf(field);
  return sql`(${text} || case when substr(${text}, 11) ~ '[-+Zz]' then '' else ' UTC' end)::timestamptz`;
}

function declaredType(field: MetadataField): Sql {
  return sql`d.metadata_types ->> ${field.name}::text`;
}
