import sql, { type Sql } from 'sql-template-tag';
import type { MetadataField } from './metadata-path.js';
import type { MetadataType } from '../metadata/metadata-type.js';
import { textOf } from './metadata-value.js';
import { choose } from './sql-logic.js';

/**
 * Decimals, dates and date-times are stored as strings and compare as what they are. `metadata_types` names such a
 * type only for a value that was checked when it was written, which is why the casts cannot fail behind a look at
 * the type; that look stands in a CASE, because nothing else orders evaluation.
 */
export interface TypedTests {
  readonly decimal: Sql;
  readonly date: Sql;
  readonly datetime: Sql;
  /** For every other type. */
  readonly other: Sql;
}

export function byType(field: MetadataField, tests: TypedTests): Sql {
  const { other, ...typed } = tests;
  return choose(declaredType(field), typed, other);
}

/** The string under the field is of the type that is stored as a string. */
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

/** No offset is UTC, whatever the time zone of the session. */
export function asInstant(field: MetadataField): Sql {
  const text = textOf(field);
  return sql`(${text} || case when substr(${text}, 11) ~ '[-+Zz]' then '' else ' UTC' end)::timestamptz`;
}

function declaredType(field: MetadataField): Sql {
  return sql`d.metadata_types ->> ${field.name}::text`;
}
