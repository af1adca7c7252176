import { Injectable } from '@nestjs/common';
import { getSchemaPath, type ApiBodyOptions } from '@nestjs/swagger';
import { DataSource, type EntityManager } from 'typeorm';
import type { Scope } from '../../auth/scope.js';
import { ChunkWriter } from '../../chunks/chunk-writer.js';
import type { Settings } from '../../config/settings.js';
import { DocumentRepository } from '../../corpus/document.repository.js';
import type { DocumentRow } from '../../corpus/document-row.js';
import { type Location, violation } from '../../errors/index.js';
import { JsonObjectField, TextMapField } from '../../http/input/fields.js';
import { readInput } from '../../http/input/input.pipe.js';
import { storableJson } from '../../http/input/parse.js';
import { JobQueue } from '../../ingestion/job-queue.js';
import { historyEntry, keysInChunks } from '../../ingestion/version.js';
import { composed } from '../../json/spelling.js';
import { isJsonObject } from '../../json/exact-json.js';
import { typeMetadata, type TypedMetadata } from '../../metadata/typed-metadata.js';
import { typedMetadataOf } from '../document-record.js';
import { documentNotFound, DocumentService } from '../document.service.js';

/** A metadata change, with its location in the request. */
export interface MetadataUpdate {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly metadataTypes: Readonly<Record<string, string>> | null;
  readonly loc: Location;
}

export class UpdateMetadataDto {
  @JsonObjectField({
    description:
      'Merged into the metadata of the document by top-level key. A key set to null is stored as null.',
    example: { reviewed: true },
    nullable: true,
  })
  metadata: Readonly<Record<string, unknown>> | null = null;

  @TextMapField({
    description:
      'Types of metadata keys: string, number, decimal, boolean, datetime, date, array, object, null. The stored value of a key without a new value is converted.',
    example: { valid_from: 'date' },
    nullable: true,
  })
  metadata_types: Readonly<Record<string, string>> | null = null;
}

/**
 * Reads `{metadata, metadata_types?}`, or an object whose members are the metadata. An object with a member `metadata`
 * or `metadata_types` is read in the first form.
 *
 * @throws Invalid
 */
export function readMetadataUpdate(body: unknown, settings: Settings): MetadataUpdate {
  if (body === undefined) throw violation(['body'], 'isDefined');
  if (!isJsonObject(body)) throw violation(['body'], 'isJsonObject');
  const update = isMetadata(body) ? bare(body) : wrapped(body, settings);
  const { metadata, metadataTypes, loc } = update;
  // Reserved keys are allowed here. The service checks that their values equal those of the document.
  typeMetadata({ metadata, declared: metadataTypes, reserved: metadata, loc, typesLoc: TYPES });
  return update;
}

const TYPES = ['body', 'metadata_types'];

/** Whether a body is the metadata itself, and not an object with a member `metadata`. */
export function isMetadata(body: Readonly<Record<string, unknown>>): boolean {
  return !Object.hasOwn(body, 'metadata') && !Object.hasOwn(body, 'metadata_types');
}

function wrapped(body: unknown, settings: Settings): MetadataUpdate {
  const { metadata, metadata_types } = readInput(UpdateMetadataDto, body, ['body'], settings);
  return { metadata: metadata ?? {}, metadataTypes: metadata_types, loc: ['body', 'metadata'] };
}

function bare(body: Readonly<Record<string, unknown>>): MetadataUpdate {
  storableJson(body, ['body']);
  return { metadata: body, metadataTypes: null, loc: ['body'] };
}

export const UPDATE_METADATA_BODY: ApiBodyOptions = {
  schema: {
    anyOf: [
      { $ref: getSchemaPath(UpdateMetadataDto) },
      {
        type: 'object',
        additionalProperties: true,
        not: { anyOf: [{ required: ['metadata'] }, { required: ['metadata_types'] }] },
        description: 'Metadata to merge.',
      },
    ],
  },
  examples: {
    'With types': {
      value: {
        metadata: { reviewed: true, valid_from: '2026-01-01' },
        metadata_types: { valid_from: 'date' },
      },
    },
    'Types only': { value: { metadata_types: { valid_from: 'date' } } },
    'A bare object': { value: { reviewed: true } },
  },
};

@Injectable()
export class UpdateMetadataService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly service: DocumentService,
    private readonly documents: DocumentRepository,
    private readonly chunks: ChunkWriter,
    private readonly jobs: JobQueue,
  ) {}

  /**
   * Merges metadata into the metadata of a document. Concurrent changes are safe.
   *
   * @throws NotFound for a document that does not exist or is not visible to the key, Forbidden for a document that the
   * key may not change, Invalid for reserved keys and values that do not match their type.
   */
  async update(scope: Scope, documentId: string, update: MetadataUpdate): Promise<DocumentRow> {
    const { external_id: id, app_id: appId } = await this.service.getToChange(scope, documentId);
    return this.dataSource.transaction(async (manager) => {
      const row = await this.documents.lock(manager, scope, id);
      if (row === null) throw documentNotFound();
      const { metadata, metadataTypes } = typedMetadataOf(row, update, update.loc);
      // Metadata that a caller sets for the document overrides metadata that rules extracted for its chunks.
      const overruled = keysInChunks(row, Object.keys(metadata));
      const key = { appId, documentId: id };
      if (overruled.length > 0) {
        await this.chunks.withTimeFor(manager, appId, [id], () =>
          this.chunks.dropMetadata(manager, key, overruled),
        );
      }
      // An earlier file update that is still being parsed must not overwrite these keys.
      await this.jobs.overrule(manager, scope, id, Object.keys(update.metadata).map(composed));
      const version = row.version + 1;
      return this.documents.mergeMetadata(manager, scope, id, {
        version,
        metadata,
        metadataTypes,
        entry: historyEntry({ version, strategy: 'metadata', metadata, endUserId: scope.endUserId }),
      });
    });
  }

  /**
   * Replaces the metadata of a document that has no rules, in the transaction of `manager`.
   *
   * @throws NotFound if the document was deleted; Forbidden when the key may not change it.
   */
  async replace(
    manager: EntityManager,
    scope: Scope,
    documentId: string,
    { metadata, metadataTypes }: TypedMetadata,
  ): Promise<void> {
    const row = await this.documents.lock(manager, scope, documentId);
    if (row === null) throw documentNotFound();
    const version = row.version + 1;
    const entry = historyEntry({ version, strategy: 'metadata', metadata, endUserId: scope.endUserId });
    await this.documents.replaceMetadata(manager, scope, documentId, {
      version,
      metadata,
      metadataTypes,
      entry,
    });
  }
}
