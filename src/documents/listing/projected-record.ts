import type { DocumentRow } from '../../corpus/document-row.js';
import { recordOf, type DocumentRecord } from '../document-record.js';
import { project } from './projection.js';

const TEXT_FIELDS = ['content', 'system_metadata.content'];

/** Whether the text of a document is among the fields that are asked for: only then it is read. */
export function asksForText(fields: readonly string[] | null): boolean {
  return fields?.some((field) => TEXT_FIELDS.includes(field)) === true;
}

/**
 * The record of a document as a listing shows it.
 * @param row with its text where the fields ask for it
 * @param fields dot paths of the record to return beside its id; null returns it whole, without the text
 */
export function projectedRecord(
  row: DocumentRow & { readonly text?: string },
  fields: readonly string[] | null,
): object {
  const record = recordOf(row);
  if (fields === null) return record;
  const whole =
    row.text === undefined
      ? record
      : { ...record, system_metadata: { ...record.system_metadata, content: row.text } };
  return project(whole, ['external_id', ...fields.map((field) => placeOf(field, whole))]);
}

/** Where a field stands in the record: clients ask for what is in `system_metadata`, such as the status, by its bare name. */
function placeOf(field: string, record: DocumentRecord): string {
  const [name = ''] = field.split('.', 1);
  const isBare = !Object.hasOwn(record, name) && Object.hasOwn(record.system_metadata, name);
  return isBare ? `system_metadata.${field}` : field;
}
