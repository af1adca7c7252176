import { Injectable } from '@nestjs/common';
import sql, { type Sql } from 'sql-template-tag';
import { DataSource } from 'typeorm';
import type { Scope } from '../auth/scope.js';
import { run } from '../database/run.js';
import type { PageImageRow } from './page.js';

/** Reads the pages of documents that readers see. */
@Injectable()
export class PageRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Pages of a document from `first` to `last`, both counted from 1 and included, in order. */
  async list(scope: Scope, documentId: string, first: number, last: number): Promise<PageImageRow[]> {
    return run<PageImageRow>(
      this.dataSource,
      sql`select p.page_number as "pageNumber", p.object_key as "objectKey", p.width, p.height
          from ${seenPages(scope, documentId)} and p.page_number between ${first} and ${last}
          order by p.page_number`,
    );
  }

  /** Number of the last page of a document that can be seen; 0: there is none. */
  async last(scope: Scope, documentId: string): Promise<number> {
    const [row] = await run<{ last: number }>(
      this.dataSource,
      sql`select coalesce(max(p.page_number), 0) as last from ${seenPages(scope, documentId)}`,
    );
    return row?.last ?? 0;
  }

  /** Whether an object is the image of a page of the document as it is now. */
  async hasImage(scope: Scope, documentId: string, objectKey: string): Promise<boolean> {
    const rows = await run(
      this.dataSource,
      sql`select p.page_number from ${seenPages(scope, documentId)} and p.object_key = ${objectKey} limit 1`,
    );
    return rows.length > 0;
  }
}

function seenPages({ appId }: Scope, documentId: string): Sql {
  return sql`pages p join documents d on d.app_id = p.app_id and d.external_id = p.document_id
          where p.app_id = ${appId} and p.document_id = ${documentId}::uuid and p.revision = any(d.page_revisions)`;
}
