import type { Scope } from '../../auth/scope.js';
import { Problems } from '../../errors/index.js';
import { equalitiesIn } from '../../filters/equalities.js';
import { parseJson, printJson } from '../../json/exact-json.js';
import type { IngestFields } from './ingest.dto.js';

/** Members that change who reads a document, cost calls of a model, or show or change another document. */
const REFUSED = ['access_control', 'rules', 'on_duplicate'] as const;

/**
 * Returns the fields of a document that a token adds. The document gets the folder of the token, and the metadata that its
 * filter demands, so that it belongs to what the token sees.
 * @throws Invalid for members that a token may not set, and for metadata that contradicts the filter
 */
export function withinToken<Fields extends IngestFields>(scope: Scope, fields: Fields): Fields {
  const { policy, token } = scope;
  if (policy === undefined) return fields;
  const problems = new Problems();
  const refuse = (place: readonly string[], sentence: string): void => {
    problems.add(['body', ...place], `Value error, ${sentence}`);
  };
  for (const name of REFUSED) if (isSet(fields[name])) refuse([name], 'a token cannot set this');
  const demanded = token?.filter == null ? {} : (equalitiesIn(parseJson(token.filter)) ?? {});
  for (const [key, value] of Object.entries(demanded)) {
    const given = fields.metadata?.[key];
    if (given !== undefined && printJson(given) !== printJson(value)) {
      refuse(['metadata', key], `the token is for the value ${printJson(value)} only`);
    }
    if (fields.metadata_types?.[key] !== undefined) {
      refuse(['metadata_types', key], 'the filter of the token decides the type');
    }
  }
  problems.throwIfAny();
  const metadata = Object.keys(demanded).length === 0 ? fields.metadata : { ...fields.metadata, ...demanded };
  const placed = { metadata, folder_name: fields.folder_name ?? token?.folder ?? null };
  return Object.assign(Object.create(Object.getPrototypeOf(fields) as object) as Fields, fields, placed);
}

/** Whether a member asks for anything; clients send empty lists unasked. */
function isSet(value: unknown): boolean {
  return value !== null && !(Array.isArray(value) && value.length === 0);
}
