import { Injectable } from '@nestjs/common';
import sql, { type Sql } from 'sql-template-tag';
import { DataSource } from 'typeorm';
import type { Scope } from '../auth/scope.js';
import { isEmbedded } from '../database/data-source.js';
import { read } from '../database/read.js';
import { run } from '../database/run.js';
import type { CompiledSelection } from '../filters/document-predicate.js';
import type { DocumentRange } from '../filters/document-ranges.js';
import type { CandidatePage, FoundPage, PageImageRow } from './page.js';
import {
  countStatement,
  nearestByIndex,
  nearestByScan,
  pageRangesStatement,
  SEEN,
  type Target,
} from './page-statements.js';

/** Matching pages up to which all of them are measured: a walk, which may miss some, would hardly be quicker. */
const SCAN_LIMIT = 1_000;

/** Length of the dynamic list of a walk through an index, 1 to 1,000: recall grows with it. */
const LIST = 400;

/** Reads and searches the pages of documents that readers see. */
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

  /** Number of matching pages, at most one more than are all measured, and the length of their vectors. */
  async count(
    { appId }: Scope,
    selection: CompiledSelection,
  ): Promise<{ readonly matching: number; readonly dimensions: number | null }> {
    const statement = countStatement(appId, selection, SCAN_LIMIT + 1);
    const [row] = await read<{ matching: number; dimensions: number | null }>(this.dataSource, statement);
    if (row === undefined) throw new Error('the count of pages returned no row');
    return row;
  }

  /**
   * The nearest of the matching pages, in no order: `limit` of them, or all where there are fewer.
   * @param matching as `count` has it
   */
  async nearest(
    { appId }: Scope,
    selection: CompiledSelection,
    target: Target,
    { matching, limit }: { readonly matching: number; readonly limit: number },
  ): Promise<CandidatePage[]> {
    const input = { appId, selection, target, limit };
    if (matching > SCAN_LIMIT && !(target.by === 'vector' && isEmbedded(this.dataSource))) {
      const walked = await read<CandidatePage>(this.dataSource, nearestByIndex(input, LIST));
      if (walked.length === limit) return walked;
    }
    return read<CandidatePage>(this.dataSource, nearestByScan(input));
  }

  /** Pages of the documents of a selection within ranges of numbers, each once, in order. */
  async within(
    { appId }: Scope,
    selection: CompiledSelection,
    ranges: readonly DocumentRange[],
  ): Promise<FoundPage[]> {
    if (ranges.length === 0) return [];
    return read<FoundPage>(this.dataSource, pageRangesStatement(appId, selection, ranges));
  }
}

function seenPages({ appId }: Scope, documentId: string): Sql {
  return sql`pages p join documents d on ${SEEN}
          where p.app_id = ${appId} and p.document_id = ${documentId}::uuid`;
}
