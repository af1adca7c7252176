import { tenantOf } from '../auth/tenant-shards.js';
import type { DocumentRow } from '../corpus/document-row.js';
import type { Location } from '../errors/index.js';
import { typeMetadata, type TypedMetadata } from '../metadata/typed-metadata.js';

/** Metadata that a request brings to a document. */
interface GivenMetadata {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly metadataTypes: Readonly<Record<string, unknown>> | null;
}

/**
 * Types the metadata of an update as the document's keys are typed.
 * @param loc of the metadata in the request
 * @throws Invalid when a value does not fit its type, or would change one that only the service writes.
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

/** Clients send back what they were shown: every name that only the service writes, with its present value. */
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
