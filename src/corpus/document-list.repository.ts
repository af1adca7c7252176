import { Injectable } from '@nestjs/common';
import sql, { empty, raw, type Sql } from 'sql-template-tag';
import { DataSource } from 'typeorm';
import { andChangeableBy } from '../access/may.js';
import { byShard, type Scope } from '../auth/scope.js';
import { run } from '../database/run.js';
import { documentPredicate, type DocumentSelection } from '../filters/document-predicate.js';
import { DOCUMENT_COLUMNS, textOf, type DocumentRow, type DocumentStatus } from './document-row.js';
import { STATUS } from './document.repository.js';

export const SORT_KEYS = ['created_at', 'updated_at', 'filename', 'external_id'] as const;
export type SortKey = (typeof SORT_KEYS)[number];

export interface Page {
  readonly skip: number;
  readonly limit: number;
  readonly sortBy: SortKey;
  readonly descending: boolean;
}

/** Expressions for grouped counts. */
const COUNTED = {
  status: STATUS,
  folder_path: raw('d.folder_path'),
} as const;

/** Lists and counts documents, restricted to a scope. */
@Injectable()
export class DocumentListRepository {
  constructor(private readonly dataSource: DataSource) {}

  async list(scope: Scope, selection: DocumentSelection, page: Page): Promise<DocumentRow[]> {
    return run(
      this.dataSource,
      sql`select ${DOCUMENT_COLUMNS} from documents d where ${documentPredicate(scope, selection)} ${windowOf(page)}`,
    );
  }

  /**
   * Like `list`, but adds the texts. One statement per shard reads rows and texts, so that a row and its text belong to
   * the same version.
   */
  async listWithText(
    scope: Scope,
    selection: DocumentSelection,
    page: Page,
  ): Promise<(DocumentRow & { readonly text: string })[]> {
    if (scope.shards > 1) return this.withTexts(scope, selection, await this.list(scope, selection, page));
    return run(
      this.dataSource,
      sql`select ${DOCUMENT_COLUMNS}, ${textOf(scope)}
          from (
            select d.* from documents d where ${documentPredicate(scope, selection)} ${windowOf(page)}
          ) d ${orderOf(page)}`,
    );
  }

  /** Adds texts to listed documents. Drops documents that no longer match the selection. */
  private async withTexts(
    scope: Scope,
    selection: DocumentSelection,
    listed: readonly DocumentRow[],
  ): Promise<(DocumentRow & { readonly text: string })[]> {
    const ids = listed.map(({ external_id }) => external_id);
    const found = await Promise.all(
      byShard(scope, ids, (id) => id).map(([part, documentIds]) =>
        run<DocumentRow & { readonly text: string }>(
          this.dataSource,
          sql`select ${DOCUMENT_COLUMNS}, ${textOf(part)} from documents d
              where ${documentPredicate(part, selection)} and ${documentPredicate(part, { documentIds })}`,
        ),
      ),
    );
    const byId = new Map(found.flat().map((row) => [row.external_id, row]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  async countBy(
    scope: Scope,
    selection: DocumentSelection,
    property: keyof typeof COUNTED,
  ): Promise<Map<string | null, number>> {
    const rows = await run<{ value: string | null; count: number }>(
      this.dataSource,
      sql`select ${COUNTED[property]} as value, count(*)::integer as count from documents d
          where ${documentPredicate(scope, selection)} group by 1 order by 1`,
    );
    return new Map(rows.map(({ value, count }) => [value, count]));
  }

  /**
   * Lists the ids of documents that the key may change and that have one of the public statuses. The least recently
   * changed document comes first.
   */
  async changeableByStatus(
    scope: Scope,
    statuses: readonly DocumentStatus[],
    limit: number,
  ): Promise<string[]> {
    const rows = await run<{ external_id: string }>(
      this.dataSource,
      sql`select d.external_id from documents d
          where ${documentPredicate(scope, {})}${andChangeableBy(scope)} and ${STATUS} = any(${statuses}::text[])
          order by d.updated_at, d.external_id limit ${limit}`,
    );
    return rows.map(({ external_id }) => external_id);
  }
}

/** @param first sort expressions that precede the order of the page */
export function orderOf({ sortBy, descending }: Page, first: Sql = empty): Sql {
  const direction = raw(descending ? 'desc' : 'asc');
  return sql`order by ${first}d.${raw(sortBy)} ${direction}, d.external_id ${direction}`;
}

export function windowOf(page: Page): Sql {
  return sql`${orderOf(page)} limit ${page.limit} offset ${page.skip}`;
}
