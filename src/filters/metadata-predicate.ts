import sql, { join, type Sql } from 'sql-template-tag';
import { printJson } from '../json/exact-json.js';
import type { Predicate } from './filter.js';
import { anyOf, isOfType, scalarAmong, scalarTest } from './jsonpath.js';
import { isScalar, type Literal, type Scalar } from './literal.js';
import { arrayPaths, missingTest, valuePaths, type MetadataField } from './metadata-path.js';
import type { MetadataType } from './metadata-type.js';
import { ORDER_OPERATORS } from './order-operators.js';
import { FALSE } from './sql-constants.js';
import { textContains, textMatches } from './text-predicate.js';
import { typedCompares, typedIsAmong, untyped } from './typed-predicate.js';

/** Past this many members a hash table beats a jsonpath that tries one after the other. */
const MOST_ALTERNATIVES = 64;

/** A predicate over a place in the metadata. */
export function metadataPredicate(predicate: Predicate, field: MetadataField): Sql {
  switch (predicate.kind) {
    case 'equals':
      return isAmong(field, [predicate.value]);
    case 'in':
      return isAmong(field, predicate.values);
    case 'compares': {
      const { order, operand } = predicate;
      return typedCompares(
        field,
        order,
        operand,
        holds(field, scalarTest(ORDER_OPERATORS[order].symbol, operand)),
      );
    }
    case 'exists':
      return at(valuePaths(field));
    case 'has-type':
      return either(predicate.types.map((type) => isType(field, type)));
    case 'matches':
      return someText(field, textMatches(VALUE_TEXT, predicate.pattern));
    case 'contains-text':
      return someText(field, textContains(VALUE_TEXT, predicate.text, predicate.caseSensitive));
    case 'has-element':
      return hasElement(field, predicate.value);
  }
}

/** Equal to one of the values: what jsonpath can compare there, the rest as jsonb. */
function isAmong(field: MetadataField, values: readonly Literal[]): Sql {
  const scalars = values.filter(isScalar);
  const few = scalars.length <= MOST_ALTERNATIVES;
  const others = values.filter((value) => value !== null && !isScalar(value));
  const asJson = few ? others : [...others, ...scalars];
  return either([
    ...(few && scalars.length > 0 ? [holds(field, scalarAmong(scalars))] : []),
    ...(asJson.length > 0 ? [someJsonEquals(field, asJson)] : []),
    ...typedIsAmong(field, scalars),
    ...(values.includes(null) ? [isNullOrMissing(field)] : []),
  ]);
}

function isNullOrMissing(field: MetadataField): Sql {
  const isNull = valuePaths(field).map((path) => `exists(${path} ? (${isOfType('null')}))`);
  return at([`$ ? (${anyOf([missingTest(field), ...isNull])})`]);
}

/** Some value, or element of an array value, passes a jsonpath test of `@`. */
function holds(field: MetadataField, test: string): Sql {
  return at(valuePaths(field).map((path) => `${path} ? (${test})`));
}

/** Some of the paths finds something. Lax paths give no error here, so the answer is never NULL. */
function at(paths: readonly string[]): Sql {
  const [only = ''] = paths;
  const path = paths.length === 1 ? only : `$ ? (${anyOf(paths.map((each) => `exists(${each})`))})`;
  return sql`d.metadata @? ${path}::jsonpath`;
}

const VALUE_TEXT = sql`(v #>> '{}')`;

function someValue(paths: readonly string[], test: Sql): Sql {
  return sql`exists (select from unnest(${paths}::jsonpath[]) as path cross join lateral jsonb_path_query(d.metadata, path) as v where ${test})`;
}

function someText(field: MetadataField, test: Sql): Sql {
  return someValue(
    valuePaths(field).map((path) => `${path} ? (${isOfType('string')})`),
    test,
  );
}

/** jsonb equality: numbers by value, objects without key order, arrays in order. */
function someJsonEquals(field: MetadataField, values: readonly Literal[]): Sql {
  const paths = valuePaths(field).flatMap((path) => [path, `${path}[*]`]);
  return someValue(paths, sql`v = any(${values.map(printJson)}::jsonb[])`);
}

function hasElement(field: MetadataField, value: Scalar | null): Sql {
  const test = value === null ? isOfType('null') : scalarTest('==', value);
  return at(arrayPaths(field).map((path) => `${path} ? (${test})`));
}

function isType(field: MetadataField, type: MetadataType): Sql {
  switch (type) {
    case 'decimal':
    case 'date':
    case 'datetime':
      return sql`coalesce(d.metadata_types ->> ${field.name}::text = ${type}::text, false) and jsonb_typeof(d.metadata -> ${field.name}::text) = 'string'`;
    case 'array':
      return at([`$ ? (${anyOf(valuePaths(field).map((path) => isOfType('array', path)))})`]);
    case 'string':
      return untyped(field, holds(field, isOfType('string')));
    default:
      return holds(field, isOfType(type));
  }
}

function either(alternatives: readonly Sql[]): Sql {
  return alternatives.length === 0 ? FALSE : join(alternatives, ' or ', '(', ')');
}
