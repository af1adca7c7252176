import { tenantOf } from '../auth/scope.js';
import type { DocumentRow } from '../corpus/document-row.js';
import type { Location } from '../errors/index.js';
import { typeMetadata, type TypedMetadata } from '../metadata/typed-metadata.js';

/** Metadata of an update request. */
interface GivenMetadata {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly metadataTypes: Readonly<Record<string, unknown>> | null;
}

/**
 * Types the metadata of an update with the document's declared types.
 *
 * @param loc location of the metadata in the request
 * @throws Invalid when a value does not match its type, or would change a reserved key.
 */
export function typedMetadataOf(
  row: DocumentRow,
  { metadata, metadataTypes }: GivenMetadata,
  loc: Location = ['body', 'metadata'],
): TypedMetadata {
  return typeMetadata({
    metadata,
    declared: metadataTypes ?? {},
    previousTypes: row.metadata_types,
    stored: row.metadata,
    reserved: reservedValuesOf(row),
    loc,
    typesLoc: ['body', 'metadata_types'],
  });
}

/** Clients may send back reserved keys with their current values. */
function reservedValuesOf(row: DocumentRow): Record<string, unknown> {
  return {
    external_id: row.external_id,
    filename: row.filename,
    folder_name: row.folder_path,
    folder_path: row.folder_path,
    folder_id: row.folder_id,
    end_user_id: row.end_user_id,
    app_id: tenantOf(row.app_id),
    owner_id: tenantOf(row.app_id),
  };
}
