import sql, { type Sql } from 'sql-template-tag';
import type { Field } from './field.js';
import { isTopLevel } from './metadata-path.js';

/** What the table `metadata_order` keeps of a key and of a text. */
const LONGEST_NAME = 200;
const KEPT_TEXT = 100;

/** A field whose numbers and texts are in the table `metadata_order`. */
export type OrderedField = Extract<Field, { readonly kind: 'metadata' }>;

export function isOrdered(field: Field): field is OrderedField {
  return field.kind === 'metadata' && isTopLevel(field) && Array.from(field.name).length <= LONGEST_NAME;
}

/** What is kept of a text is never behind what is kept of a text that follows it. */
export function keptText(text: string): string {
  return Array.from(text).slice(0, KEPT_TEXT).join('');
}

/** The ids of the tenant's documents with such a row `o`: of a single value, or of an array, whose ends are kept. */
export function orderedIds(appId: string, field: OrderedField, isArray: boolean, condition: Sql): Sql {
  return sql`select o.document_id from metadata_order o where o.app_id = ${appId} and o.name = ${field.name} and o.spread = ${isArray} and ${condition}`;
}
