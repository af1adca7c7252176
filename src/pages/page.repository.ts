import { Injectable } from '@nestjs/common';
import sql, { empty, raw, type Sql } from 'sql-template-tag';
import { DataSource } from 'typeorm';
import { byShard, type Scope, shardOf } from '../auth/scope.js';
import { isEmbedded } from '../database/data-source.js';
import type { DocumentKey } from '../corpus/document.entity.js';
import { type Queryable, read, run } from '../database/run.js';
import {
  andVisible,
  type CompiledSelection,
  compileSelection,
  documentOf,
  type DocumentRange,
  type DocumentSelection,
  rangeRows,
} from '../filters/document-predicate.js';
import { GIVEN_FILENAME, GIVEN_METADATA } from '../filters/given-spelling.js';
import { vectorText, PageIndex } from '../chunks/vectors/vector-column.js';
import type { CandidatePage, NewPage, PageRow } from './page.js';

/**
 * Maximum number of matching pages for a full scan. Up to this number, an HNSW search is hardly faster, and not exact.
 */
const SCAN_LIMIT = 1_000;

/** Number at which {@link PageRepository.count} stops counting. */
export const MAX_COUNTED = SCAN_LIMIT + 1;

/**
 * Value of `hnsw.ef_search` (1 to 1,000), the size of the candidate list of an HNSW search. A larger list has a higher
 * recall.
 */
const EF_SEARCH = 400;

/** Writes pages; reads and searches visible pages. */
@Injectable()
export class PageRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Lists the pages of a document from `first` to `last` (1-based, inclusive), in order. */
  async list(
    scope: Scope,
    documentId: string,
    first: number,
    last: number,
  ): Promise<Pick<PageRow, 'page_number' | 'object_key'>[]> {
    return run(
      this.dataSource,
      sql`select p.page_number, p.object_key
          from ${visiblePages(scope, documentId)} and p.page_number between ${first} and ${last}
          order by p.page_number`,
    );
  }

  /** Returns the number of the document's last visible page; 0: no page is visible. */
  async last(scope: Scope, documentId: string): Promise<number> {
    const [row] = await run<{ last: number }>(
      this.dataSource,
      sql`select coalesce(max(p.page_number), 0) as last from ${visiblePages(scope, documentId)}`,
    );
    return row?.last ?? 0;
  }

  /** Whether an object is the image of a visible page of the document. */
  async hasImage(scope: Scope, documentId: string, objectKey: string): Promise<boolean> {
    const rows = await run(
      this.dataSource,
      sql`select p.page_number from ${visiblePages(scope, documentId)} and p.object_key = ${objectKey} limit 1`,
    );
    return rows.length > 0;
  }

  /** Returns the number of matching pages, at most {@link MAX_COUNTED}, and the dimensions of the page vectors. */
  async count(
    { appId }: Scope,
    selection: CompiledSelection,
  ): Promise<{ readonly matching: number; readonly dimensions: number | null }> {
    const statement = countStatement(appId, selection, MAX_COUNTED);
    const [row] = await read<{ matching: number; dimensions: number | null }>(this.dataSource, statement);
    if (row === undefined) throw new Error('the count of pages returned no row');
    return row;
  }

  /**
   * Returns the nearest matching pages, unordered: `limit` pages, or all matching pages if these are fewer.
   * @param matching result of `count`
   */
  async nearest(
    { appId }: Scope,
    selection: CompiledSelection,
    target: Target,
    { matching, limit }: { readonly matching: number; readonly limit: number },
  ): Promise<CandidatePage[]> {
    const input = { appId, selection, target, limit };
    if (matching > SCAN_LIMIT && !(target.by === 'vector' && isEmbedded(this.dataSource))) {
      const found = await read<CandidatePage>(this.dataSource, hnswStatement(input, EF_SEARCH));
      if (found.length === limit) return found;
    }
    return read<CandidatePage>(this.dataSource, fullScanStatement(input));
  }

  /**
   * Returns the pages of the selected documents within ranges of page numbers, each once, ordered within a document.
   */
  async within(
    scope: Scope,
    selection: DocumentSelection,
    ranges: readonly DocumentRange[],
  ): Promise<PageRow[]> {
    const found = await Promise.all(
      byShard(scope, ranges, documentOf).map(([part, some]) =>
        read<PageRow>(
          this.dataSource,
          pageRangesStatement(part.appId, compileSelection(part, selection), some),
        ),
      ),
    );
    return found.flat();
  }

  /** Writes pages under an invisible revision. */
  async stage(
    manager: Queryable,
    { appId, documentId }: DocumentKey,
    revision: string,
    pages: readonly NewPage[],
  ): Promise<void> {
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
            ${pages.map(({ encoded }) => encoded?.vectorCount ?? null)}::integer[],
            ${pages.map(({ encoded }) => encoded && vectorText(encoded.pooled))}::text[],
            ${pages.map(({ fingerprint }) => fingerprint)}::text[])
            as r(number, key, size, width, height, content, vectors, vector_count, pooled, fingerprint)`,
    );
  }

  /** Lists the numbers of the pages staged under a revision, in order. */
  async staged(scope: Scope, documentId: string, revision: string): Promise<number[]> {
    const rows = await run<{ number: number }>(
      this.dataSource,
      sql`select page_number as number from pages
          where ${ofRevisions({ appId: scope.appId, documentId }, [revision])}
          order by page_number`,
    );
    return rows.map(({ number }) => number);
  }

  /**
   * Removes the visible or staged pages of revisions.
   * @returns key prefixes of their images, for the caller to delete.
   */
  async remove(manager: Queryable, document: DocumentKey, revisions: readonly string[]): Promise<string[]> {
    const rows = await run<{ folder: string }>(
      manager,
      sql`with removed as (
            delete from pages where ${ofRevisions(document, revisions)} returning object_key
          )
          select distinct regexp_replace(object_key, '[^/]*$', '') as folder from removed order by 1`,
    );
    return rows.map(({ folder }) => folder);
  }
}

function ofRevisions({ appId, documentId }: DocumentKey, revisions: readonly string[]): Sql {
  return sql`app_id = ${appId} and document_id = ${documentId}::uuid and revision = any(${revisions}::bigint[])`;
}

function visiblePages(scope: Scope, documentId: string): Sql {
  const { appId } = shardOf(scope, documentId);
  return sql`pages p join documents d on ${VISIBLE}
          where p.app_id = ${appId} and p.document_id = ${documentId}::uuid${andVisible(scope)}`;
}

/** Whether the page `p` is visible in its document `d`. */
const VISIBLE = raw(
  'd.app_id = p.app_id and d.external_id = p.document_id and p.revision = any(d.page_revisions)',
);

const PAGE_COLUMNS = raw(`p.document_id, p.page_number, p.object_key, p.content,
  ${GIVEN_METADATA.sql} as document_metadata, ${GIVEN_FILENAME.sql} as filename, d.folder_path`);

/** The target of a search. Pages are ordered by their distance from it. */
export type Target =
  /** Pooled vector of a question, as pgvector text. */
  | {
      readonly by: 'vector';
      readonly pooled: string;
      readonly dimensions: number;
      readonly fingerprint: string | null;
    }
  /** Fingerprint of an image. */
  | { readonly by: 'fingerprint'; readonly fingerprint: string };

interface NearestInput {
  readonly appId: string;
  readonly selection: CompiledSelection;
  readonly target: Target;
  readonly limit: number;
}

/** Counts matching pages up to `maximum`, and returns the dimensions of the page vectors; null: no vectors. */
function countStatement(appId: string, { find }: CompiledSelection, maximum: number): Sql {
  return sql`
select count(*)::float8 as matching,
  (select (value ->> 'dimensions')::integer from service_state where name = 'page_space') as dimensions
from (
  select 1 from documents d
  join pages p on ${VISIBLE}
  where ${find} and ${HAS_PAGES} and p.app_id = ${appId}
  limit ${maximum}
) s`;
}

/** Finds the nearest matching pages by a full scan. */
function fullScanStatement({ appId, selection, target, limit }: NearestInput): Sql {
  return withVectors(
    appId,
    sql`nearest as materialized (
  select p.page_id, ${distanceTo(target)} as distance
  from documents d
  join pages p on ${VISIBLE}
  where ${selection.find} and ${HAS_PAGES} and p.app_id = ${appId}
  order by distance, p.page_id
  limit ${limit}
)`,
    target,
  );
}

/**
 * Finds the nearest matching pages by an HNSW search that looks up the document of each visited page. Returns fewer
 * than `limit` pages if the search stops early. `offset 0` keeps the planner from turning the lookup into a join. With
 * a join, the planner would not use the vector index. `hnsw.ef_search` is set for this statement only.
 */
function hnswStatement({ appId, selection, target, limit }: NearestInput, efSearch: number): Sql {
  return withVectors(
    appId,
    sql`tuned as materialized (
  select set_config('hnsw.ef_search', ${String(efSearch)}, true) as value
),
nearest as materialized (
  select p.page_id
  from pages p
  where (select value from tuned) is not null and p.app_id = ${appId}
    and exists (select from documents d where ${VISIBLE} and ${selection.test} offset 0)${indexPredicate(target)}
  order by ${distanceTo(target)}
  limit ${limit}
)`,
    target,
  );
}

/** Selects the pages of the selected documents within ranges of page numbers, each once, in order. */
function pageRangesStatement(
  appId: string,
  { test }: CompiledSelection,
  ranges: readonly DocumentRange[],
): Sql {
  return sql`
select distinct on (p.document_id, p.page_number) ${PAGE_COLUMNS}
from ${rangeRows(ranges)}
join documents d on d.app_id = ${appId} and d.external_id = r.document_id
join pages p on ${VISIBLE} and p.page_number between r.first and r.last
where ${test} and p.app_id = ${appId}
order by p.document_id, p.page_number`;
}

/** Excludes documents without pages before pages are looked up. Most documents have no pages. */
const HAS_PAGES = raw("d.page_revisions <> '{}'");

/**
 * Completes a statement: selects the vectors and columns of the candidates.
 *
 * @param nearest common table expressions, the last of which is `nearest` with the `page_id` of each candidate
 */
function withVectors(appId: string, nearest: Sql, { fingerprint }: Target): Sql {
  const likeness =
    fingerprint === null ? raw('null') : sql`greatest(0, 1 - (${hammingDistance(fingerprint)}) / 32)`;
  return sql`
with ${nearest}
select p.page_id, p.vectors, ${likeness} as likeness,
  ${PAGE_COLUMNS}
from nearest n
join pages p on p.app_id = ${appId} and p.page_id = n.page_id
join documents d on ${VISIBLE}`;
}

/** Condition on the pages `p`. PostgreSQL uses the partial index only with this condition. */
function indexPredicate(target: Target): Sql {
  return target.by === 'vector' ? sql` and ${new PageIndex(target.dimensions).predicate('p.pooled')}` : empty;
}

function distanceTo(target: Target): Sql {
  return target.by === 'vector'
    ? sql`${raw(`p.pooled::halfvec(${target.dimensions})`)} <#> ${target.pooled}`
    : hammingDistance(target.fingerprint);
}

/** Hamming distance of the fingerprint of the page `p`; null: the page has no fingerprint. */
function hammingDistance(fingerprint: string): Sql {
  return sql`p.fingerprint <~> ${fingerprint}::bit(64)`;
}
