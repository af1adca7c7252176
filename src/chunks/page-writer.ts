import { Injectable } from '@nestjs/common';
import { toSql } from 'pgvector';
import sql, { type Sql } from 'sql-template-tag';
import { DataSource } from 'typeorm';
import type { Scope } from '../auth/scope.js';
import type { DocumentKey } from '../corpus/document.entity.js';
import { run, type Queryable } from '../database/run.js';
import type { NewPage } from './page.js';

/** Every statement that writes pages; all but `staged` run in the caller's transaction. */
@Injectable()
export class PageWriter {
  constructor(private readonly dataSource: DataSource) {}

  /** Writes pages under a revision that nobody sees yet. */
  async stage(
    manager: Queryable,
    { appId, documentId }: DocumentKey,
    revision: string,
    pages: readonly NewPage[],
  ): Promise<void> {
    const pooled = pages.map(({ encoded }) =>
      encoded === null ? null : (toSql(Array.from(encoded.pooled)) as string),
    );
    await run(
      manager,
      sql`insert into pages (app_id, document_id, revision, page_number, object_key, image_size, width, height, content,
            vectors, vector_count, pooled, fingerprint)
          select ${appId}, ${documentId}::uuid, ${revision}::bigint, r.number, r.key, r.size, r.width, r.height, r.content,
            r.vectors, r.vector_count, r.pooled::halfvec, r.fingerprint::bit(64)
          from unnest(${pages.map(({ pageNumber }) => pageNumber)}::integer[],
            ${pages.map(({ objectKey }) => objectKey)}::text[],
            ${pages.map(({ imageSize }) => imageSize)}::integer[],
            ${pages.map(({ width }) => width)}::integer[], ${pages.map(({ height }) => height)}::integer[],
            ${pages.map(({ content }) => content)}::text[],
            ${pages.map(({ encoded }) => encoded?.vectors ?? null)}::bytea[],
            ${pages.map(({ encoded }) => encoded?.vectorCount ?? null)}::integer[], ${pooled}::text[],
            ${pages.map(({ fingerprint }) => fingerprint)}::text[])
            as r(number, key, size, width, height, content, vectors, vector_count, pooled, fingerprint)`,
    );
  }

  /** Numbers of the pages that are staged under a revision, in order. */
  async staged(scope: Scope, documentId: string, revision: string): Promise<number[]> {
    const rows = await run<{ number: number }>(
      this.dataSource,
      sql`select page_number as number from pages
          where ${ofRevisions({ appId: scope.appId, documentId }, [revision])}
          order by page_number`,
    );
    return rows.map(({ number }) => number);
  }

  /** Removes the pages of revisions, seen or staged. @returns the folders of their images, which have to go too. */
  async remove(manager: Queryable, document: DocumentKey, revisions: readonly string[]): Promise<string[]> {
    const rows = await run<{ folder: string }>(
      manager,
      sql`with gone as (
            delete from pages where ${ofRevisions(document, revisions)} returning object_key
          )
          select distinct regexp_replace(object_key, '[^/]*$', '') as folder from gone order by 1`,
    );
    return rows.map(({ folder }) => folder);
  }
}

function ofRevisions({ appId, documentId }: DocumentKey, revisions: readonly string[]): Sql {
  return sql`app_id = ${appId} and document_id = ${documentId}::uuid and revision = any(${revisions}::bigint[])`;
}
