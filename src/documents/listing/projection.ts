import type { Scope } from '../../auth/scope.js';
import type { DocumentRow } from '../../corpus/document-row.js';
import { setMember } from '../../json/exact-json.js';
import { recordOf } from '../document-record.js';
import type { DocumentDto } from '../document.dto.js';
import type { ListedDocumentDto } from './list.dto.js';

const TEXT_FIELDS = ['content', 'system_metadata.content'];

/** Whether the requested fields include `content`. If not, the text is not loaded. */
export function asksForText(fields: readonly string[] | null): boolean {
  return fields?.some((field) => TEXT_FIELDS.includes(field)) === true;
}

/**
 * Returns the requested fields of a document's record.
 *
 * @param row with its text if the fields include `content`
 * @param fields dot paths of the fields to return in addition to the id; null returns the whole record without the text
 */
export function projectedRecord(
  scope: Scope,
  row: DocumentRow & { readonly text?: string },
  fields: readonly string[] | null,
): ListedDocumentDto {
  const record = recordOf(scope, row);
  if (fields === null) return record;
  if (row.text !== undefined) record.system_metadata['content'] = row.text;
  const paths = ['external_id', ...fields.map((field) => pathOf(field, record))];
  return project(record, paths) as ListedDocumentDto;
}

/** Resolves the path of a field. A request may omit the prefix `system_metadata.`, as in `status`. */
function pathOf(field: string, record: DocumentDto): string {
  const [name = ''] = field.split('.', 1);
  const isBare = !Object.hasOwn(record, name) && Object.hasOwn(record.system_metadata, name);
  return isBare ? `system_metadata.${field}` : field;
}

/** Copies the values at the dot paths. Omits unknown paths. */
export function project(value: object, paths: readonly string[]): object {
  const result: Record<string, unknown> = {};
  for (const path of paths) copy(value, result, path.split('.'));
  return result;
}

function copy(source: object, target: Record<string, unknown>, path: readonly string[]): void {
  const found = find(source, path);
  if (found === undefined) return;
  let place = target;
  for (const key of path.slice(0, -1)) {
    const inner = Object.hasOwn(place, key) ? place[key] : undefined;
    const next = isPlainObject(inner) ? inner : {};
    if (next !== inner) setMember(place, key, next);
    place = next;
  }
  setMember(place, path.at(-1) ?? '', found.value);
}

function find(source: object, path: readonly string[]): { readonly value: unknown } | undefined {
  let value: unknown = source;
  for (const key of path) {
    if (!isPlainObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return { value };
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
