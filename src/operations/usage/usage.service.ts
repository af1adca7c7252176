import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import sql, { empty, type Sql } from 'sql-template-tag';
import { DataSource } from 'typeorm';
import { andVisibleTo } from '../../access/visible-to.js';
import { type Scope, shardsOf } from '../../auth/scope.js';
import { run } from '../../database/run.js';
import { andVisible } from '../../filters/document-predicate.js';
import { Embedder } from '../../models/embedding/embedder.js';

const MB = { type: 'number', example: 1.25 } as const;

/** Storage usage of a tenant in MB (1 MB = 1,048,576 bytes): of what the key may read. */
export class AppStorageDto {
  @ApiProperty({ description: 'Tenant.', example: 'default' })
  app_id: string;

  @ApiProperty({ ...MB, description: 'Uploaded files in all versions, and document texts.' })
  doc_raw_bytes_mb: number;

  @ApiProperty({ ...MB, description: 'Chunk texts and vectors.' })
  chunk_raw_bytes_mb: number;

  @ApiProperty({ ...MB, description: 'Page images and their vectors.' })
  multivector_mb: number;

  @ApiProperty({ ...MB, description: 'Sum of the three.' })
  total_mb: number;

  @ApiProperty({ type: 'integer', description: 'Number of documents in any state.', example: 12 })
  document_count: number;
}

const MEGABYTE = 1_024 * 1_024;

/** Size in bytes of an element of a halfvec, and of the header of a halfvec. */
const HALF_BYTES = 2;
const VECTOR_HEAD_BYTES = 8;

interface StoredBytes {
  readonly documents: number;
  readonly files: number;
  readonly texts: number;
  readonly chunks: number;
  readonly pages: number;
}

@Injectable()
export class UsageService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly embedder: Embedder,
  ) {}

  /**
   * Adds up logical sizes, which do not include indexes and free space on disk. The chunks of a document together
   * contain its text, so the method uses the length of the text instead of reading the chunks.
   */
  async appStorage(scope: Scope): Promise<AppStorageDto> {
    const shards = await Promise.all(shardsOf(scope).map((shard) => this.stored(shard)));
    const sum = (of: keyof StoredBytes): number => shards.reduce((total, shard) => total + shard[of], 0);
    const vectorBytes = VECTOR_HEAD_BYTES + HALF_BYTES * this.embedder.dimensions;
    const raw = sum('files') + sum('texts');
    const chunks = sum('texts') + sum('chunks') * vectorBytes;
    return {
      app_id: scope.appId,
      doc_raw_bytes_mb: inMegabytes(raw),
      chunk_raw_bytes_mb: inMegabytes(chunks),
      multivector_mb: inMegabytes(sum('pages')),
      total_mb: inMegabytes(raw + chunks + sum('pages')),
      document_count: sum('documents'),
    };
  }

  private async stored(scope: Scope): Promise<StoredBytes> {
    const { appId } = scope;
    const ofVisible = (id: Sql): Sql =>
      scope.reach === 'all'
        ? empty
        : sql` and exists (select d.external_id from documents d
            where d.app_id = ${appId} and d.external_id = ${id}${andVisible(scope)})`;
    const [row] = await run<StoredBytes>(
      this.dataSource,
      sql`select d.documents, d.files + u.uploads as files, d.chunks, t.texts, p.pages
          from (
            select count(*)::float8 as documents, coalesce(sum(d.chunk_count), 0)::float8 as chunks,
              coalesce(sum((
                select sum((f ->> 'size')::float8) from jsonb_array_elements(d.storage_files) f
                where not exists (select 1 from file_attachments a
                  where a.app_id = ${appId} and a.document_id = d.external_id))), 0)::float8 as files
            from documents d where d.app_id = ${appId}${andVisible(scope)}
          ) d, (
            select coalesce(sum(f.bytes), 0)::float8 as uploads from files f
            where f.app_id = ${appId}${andVisibleTo(scope, sql`f.readers`)}
          ) u, (
            select coalesce(sum(octet_length(content)), 0)::float8 as texts from document_texts t
            where t.app_id = ${appId}${ofVisible(sql`t.document_id`)}
          ) t, (
            select coalesce(sum(image_size + coalesce(octet_length(vectors) + pg_column_size(pooled), 0)), 0)::float8 as pages
            from pages p where p.app_id = ${appId}${ofVisible(sql`p.document_id`)}
          ) p`,
    );
    if (row === undefined) throw new Error('the storage count returned no row');
    return row;
  }
}

/** Converts bytes to MB. Rounds up to a multiple of 0.1 kB, so that existing data is never shown as 0. */
function inMegabytes(bytes: number): number {
  return Math.ceil((bytes / MEGABYTE) * 10_000) / 10_000;
}
