import sql, { raw, type Sql } from 'sql-template-tag';
import { getMetadataArgsStorage } from 'typeorm';
import type { Scope } from '../auth/scope.js';
import {
  DocumentEntity,
  type DocumentStatus,
  type ErrorKind,
  type HistoryEntry,
  type Progress,
  type StoredFile,
} from './document.entity.js';

export { DOCUMENT_STATUSES } from './document.entity.js';
export type { DocumentStatus, ErrorKind, HistoryEntry, Progress, StoredFile } from './document.entity.js';

/** A row of `documents`; names as in the table. */
export type DocumentRow = Omit<DocumentEntity, 'metadata_hashes'>;

/** The columns of a {@link DocumentRow}, of `documents d`: the table has one more, which only an index is for. */
export const DOCUMENT_COLUMNS = raw(
  getMetadataArgsStorage()
    .filterColumns(DocumentEntity)
    .filter(({ options }) => options.select !== false)
    .map(({ propertyName }) => `d.${propertyName}`)
    .join(', '),
);

/** The whole text of the document `d`; the tenant stands in it because a cluster follows no column into a subquery. */
export function textOf({ appId }: Scope): Sql {
  return sql`coalesce((
  select string_agg(t.content, '' order by t.part) from document_texts t
  where t.app_id = ${appId} and t.document_id = d.external_id), '') as text`;
}

/** The status that clients see: a document in the works is `processing`, whether or not an older version answers. */
export function statusOf({ status, progress }: Pick<DocumentRow, 'status' | 'progress'>): DocumentStatus {
  return progress === null ? status : 'processing';
}

/** Why an ingestion failed. */
export interface IngestionFailure {
  /** A sentence for people. */
  readonly reason: string;
  readonly kind: ErrorKind;
}

/** What a caller says about a document when it comes in. */
export interface NewDocument {
  readonly externalId: string;
  readonly contentType: string;
  readonly filename: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly metadataTypes: Readonly<Record<string, string>>;
  readonly storageFiles: readonly StoredFile[];
  readonly folder: { readonly id: string; readonly path: string } | null;
  readonly endUserId: string | null;
  readonly useColpali: boolean;
  readonly progress: Progress;
}

/** What a change of metadata brings; metadata and its types are merged key by key, at the top level. */
export interface MetadataChange {
  readonly version: number;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly metadataTypes: Readonly<Record<string, string>>;
  /** Absent for the first version. */
  readonly entry?: HistoryEntry;
}

/** What a finished version of the text brings. */
export interface VersionChange extends MetadataChange {
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
  readonly embeddingModel: string;
  readonly useColpali: boolean;
  /** Sources that came with it, added to those of earlier versions. */
  readonly storageFiles: readonly StoredFile[];
  readonly ingestedFrom: unknown;
  /** Of the next job, when there is one. */
  readonly progress: Progress | null;
}
