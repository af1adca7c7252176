import sql, { type Sql } from 'sql-template-tag';
import type { Predicate } from './filter.js';
import { anyOf, isOfType, scalarTest } from './jsonpath.js';
import type { Scalar } from '../metadata/literal.js';
import { metadataIsAmong, type PredicateUse } from './metadata-equality.js';
import { metadataCompares } from './metadata-order.js';
import { arrayPaths, valuePaths, type MetadataField } from './metadata-path.js';
import type { MetadataType } from '../metadata/metadata-type.js';
import { findsAny, somePasses, someText, typeOf } from './metadata-value.js';
import { either, FALSE } from './sql-logic.js';
import { textContains, textMatches } from './text-predicate.js';
import { byType, isStringTyped } from './typed-value.js';

/** A predicate over a place in the metadata. */
export function metadataPredicate(
  predicate: Predicate,
  field: MetadataField,
  use: PredicateUse = 'find',
): Sql {
  switch (predicate.kind) {
    case 'equals':
      return metadataIsAmong(field, [predicate.value], use);
    case 'in':
      return metadataIsAmong(field, predicate.values, use);
    case 'compares':
      return metadataCompares(field, predicate.order, predicate.operand);
    case 'exists':
      return findsAny(valuePaths(field));
    case 'has-type':
      return either(predicate.types.map((type) => hasType(field, type)));
    case 'matches':
      return someText(field, (text) => textMatches(text, predicate.pattern));
    case 'contains-text':
      return someText(field, (text) => textContains(text, predicate.text, predicate.caseSensitive));
    case 'has-element':
      return hasElement(field, predicate.value);
  }
}

function hasElement(field: MetadataField, value: Scalar | null): Sql {
  const test = value === null ? isOfType('null') : scalarTest('==', value);
  return findsAny(arrayPaths(field).map((path) => `${path} ? (${test})`));
}

function hasType(field: MetadataField, type: MetadataType): Sql {
  switch (type) {
    case 'decimal':
    case 'date':
    case 'datetime':
      // A null keeps the type of its key, but is none of it.
      return sql`${isStringTyped(field, type)} and ${typeOf(field)} = 'string'`;
    case 'array':
      return findsAny([`$ ? (${anyOf(valuePaths(field).map((path) => isOfType('array', path)))})`]);
    case 'string': {
      const string = somePasses(field, isOfType('string'));
      return byType(field, { decimal: FALSE, date: FALSE, datetime: FALSE, other: string });
    }
    default:
      return somePasses(field, isOfType(type));
  }
}
