import sql, { raw, type Sql } from 'sql-template-tag';
import { getMetadataArgsStorage } from 'typeorm';
import type { AccessLists, Listed } from '../access/access-lists.js';
import { ListedEntity, OwnedEntity } from '../access/owned.entity.js';
import type { Scope } from '../auth/scope.js';
import { GIVEN_FILENAME, GIVEN_METADATA } from '../filters/given-spelling.js';
import {
  DocumentEntity,
  type DocumentStatus,
  type ErrorKind,
  type HistoryEntry,
  type Progress,
  type StoredFile,
} from './document.entity.js';

export { DOCUMENT_STATUSES, renditionKey } from './document.entity.js';
export type {
  DocumentStatus,
  ErrorKind,
  HistoryEntry,
  Progress,
  Rendition,
  StoredFile,
} from './document.entity.js';

/** A row of `documents`, with property names as in the table. File name and metadata are spelt as they were given. */
export type DocumentRow = Omit<
  DocumentEntity,
  'metadata_hashes' | 'readers' | 'in_shared_statistics' | 'given_filename' | 'given_metadata'
>;

const AS_GIVEN: Readonly<Record<string, Sql>> = { filename: GIVEN_FILENAME, metadata: GIVEN_METADATA };

/** Columns of a {@link DocumentRow} in `documents d`. Omits the columns that exist only for an index. */
export const DOCUMENT_COLUMNS = raw(
  getMetadataArgsStorage()
    .filterColumns([DocumentEntity, ListedEntity, OwnedEntity])
    .filter(({ options }) => options.select !== false)
    .map(({ propertyName }) => {
      const given = AS_GIVEN[propertyName];
      return given === undefined ? `d.${propertyName}` : `${given.sql} as ${propertyName}`;
    })
    .join(', '),
);

/**
 * Expression for the text of the document `d`. It contains the id of the tenant, because Citus does not push the tenant
 * column of `d` into a subquery.
 */
export function textOf({ appId }: Scope): Sql {
  return sql`coalesce((
  select string_agg(t.content, '' order by t.part) from document_texts t
  where t.app_id = ${appId} and t.document_id = d.external_id), '') as text`;
}

/** Returns the public status: `processing` while a job is queued or running, even if an older version is visible. */
export function statusOf({ status, progress }: Pick<DocumentRow, 'status' | 'progress'>): DocumentStatus {
  return progress === null ? status : 'processing';
}

export interface IngestionFailure {
  /** Message for users. */
  readonly reason: string;
  readonly kind: ErrorKind;
  /** Content type detected from the bytes of the file; null when unknown. */
  readonly contentType: string | null;
}

export interface NewDocument {
  readonly externalId: string;
  readonly contentType: string;
  readonly filename: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly metadataTypes: Readonly<Record<string, string>>;
  readonly storageFiles: readonly StoredFile[];
  /** Hexadecimal SHA-256 of the source; null if it is not known. */
  readonly sourceSum: string | null;
  readonly folder: (Listed & { readonly id: string; readonly path: string }) | null;
  readonly endUserId: string | null;
  /** The document's own access lists; null: those of the folder count. */
  readonly access: AccessLists | null;
  readonly useColpali: boolean;
  readonly progress: Progress;
}

/** A change of metadata. Metadata and types are merged by top-level key. */
export interface MetadataChange {
  readonly version: number;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly metadataTypes: Readonly<Record<string, string>>;
  /** The first version has no entry. */
  readonly entry?: HistoryEntry;
}

/**
 * A finished version of the text.
 * @typeParam Origin the job that can ingest the whole text again, or null if no job can
 */
export interface VersionChange<Origin = unknown> extends MetadataChange {
  readonly documentId: string;
  readonly textVersion: number;
  readonly filename: string | null;
  readonly contentType: string;
  readonly chunkCount: number;
  readonly textLength: number;
  readonly liveRevisions: readonly string[];
  readonly pageRevisions: readonly string[];
  readonly pageCount: number | null;
  readonly additionalMetadata: Readonly<Record<string, unknown>>;
  readonly useColpali: boolean;
  /** Source files of this version. They are added to the source files of earlier versions. */
  readonly storageFiles: readonly StoredFile[];
  /** Hexadecimal SHA-256 of the source of the whole text; null if it has several, or is not known. */
  readonly sourceSum: string | null;
  readonly ingestedFrom: Origin;
}
