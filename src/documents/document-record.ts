import { type Scope, tenantOf } from '../auth/scope.js';
import { type DocumentRow, statusOf } from '../corpus/document-row.js';
import { accessListsOf, ownAccessOf } from './access-control.js';
import type { DocumentDto, DocumentStatusDto } from './document.dto.js';
import { fileOf } from './files/document-file.js';
import type { Location } from '../errors/index.js';
import { type TypedMetadata, typeMetadata } from '../metadata/typed-metadata.js';

/** Converts a row to the public record (`docs/guide/documents.md`), as the caller gets it. */
export function recordOf(scope: Scope, row: DocumentRow): DocumentDto {
  const appId = tenantOf(row.app_id);
  const access = ownAccessOf(scope, row);
  const named = access.your_access === 'read' ? underPresentName(row) : row;
  return {
    external_id: row.external_id,
    owner: row.end_user_id === null ? { type: 'app', id: appId } : { type: 'user', id: row.end_user_id },
    content_type: row.content_type,
    filename: row.filename,
    metadata: { ...row.metadata, external_id: row.external_id, folder_name: row.folder_path },
    metadata_types: row.metadata_types,
    page_count: row.page_count,
    storage_info: storageInfoOf(row),
    storage_files: named.storage_files.map(({ size: _, sha256: __, rendition: ___, ...file }) => file),
    system_metadata: systemMetadataOf(named),
    additional_metadata: row.additional_metadata,
    ...access,
    access_control: Object.assign(accessListsOf(row), { app_access: [appId] }),
    chunk_ids: Array.from({ length: row.chunk_count }, (_, number) => `${row.external_id}-${number}`),
    folder_name: row.folder_path,
    folder_path: row.folder_path,
    folder_id: row.folder_id,
    end_user_id: row.end_user_id,
    app_id: appId,
  };
}

/**
 * The row without former names. Who may only read a document could not always read it under them; who may change it is told
 * what became of it.
 */
function underPresentName(row: DocumentRow): DocumentRow {
  const { filename } = row;
  return {
    ...row,
    storage_files: row.storage_files.map((file) => ({ ...file, filename: filename ?? file.filename })),
    update_history: row.update_history.map(({ filename: named, ...entry }) =>
      named === filename ? { ...entry, filename: named } : entry,
    ),
  };
}

/** The location of the document's source file. A text in the database has neither bucket nor key. */
function storageInfoOf(row: DocumentRow): Record<string, string> {
  const { stored, contentType, filename } = fileOf(row);
  return {
    ...stored,
    content_type: contentType,
    ...(filename === null ? {} : { filename }),
  };
}

function systemMetadataOf(row: DocumentRow): Record<string, unknown> {
  return {
    status: statusOf(row),
    version: row.version,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    page_count: row.page_count,
    chunk_count: row.chunk_count,
    ...stateOf(row),
    update_history: row.update_history,
    use_colpali: row.use_colpali,
    embedding_model: row.embedding_model,
  };
}

/** Progress of a running job, and the reason for the last failure. */
function stateOf({ progress, error }: DocumentRow): Pick<DocumentStatusDto, 'progress' | 'error'> {
  return { ...(progress === null ? {} : { progress }), ...(error === null ? {} : { error }) };
}

export function statusRecordOf(row: DocumentRow): DocumentStatusDto {
  return {
    document_id: row.external_id,
    status: statusOf(row),
    filename: row.filename,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    ...stateOf(row),
  };
}

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

/** The current values of the reserved keys. Clients may send these keys back if they do not change the values. */
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
