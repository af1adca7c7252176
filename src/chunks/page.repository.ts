import { Injectable } from '@nestjs/common';
import sql, { empty, raw, type Sql } from 'sql-template-tag';
import { DataSource } from 'typeorm';
import type { Scope } from '../auth/scope.js';
import { byShard, shardOf } from '../auth/tenant-shards.js';
import { isEmbedded } from '../database/data-source.js';
import type { DocumentKey } from '../corpus/document.entity.js';
import { read } from '../database/read.js';
import { run, type Queryable } from '../database/run.js';
import {
  compileSelection,
  type CompiledSelection,
  type DocumentSelection,
} from '../filters/document-predicate.js';
import { documentOf, rangeRows, type DocumentRange } from '../filters/document-ranges.js';
import { vectorText } from './column-text.js';
import type { CandidatePage, NewPage, PageRow } from './page.js';
import { PageIndex } from './vector-index.js';

/** Matching pages up to which all of them are measured: a walk, which may miss some, would hardly be quicker. */
const SCAN_LIMIT = 1_000;

/** Matching pages that `count` tells apart from more. */
export const MOST_COUNTED = SCAN_LIMIT + 1;

/** Length of the dynamic list of a walk through an index, 1 to 1,000: recall grows with it. */
const LIST = 400;

/** Writes pages, and reads and searches those that readers see. */
@Injectable()
export class PageRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Pages of a document from `first` to `last`, both counted from 1 and included, in order. */
  async list(
    scope: Scope,
    documentId: string,
    first: number,
    last: number,
  ): Promise<Pick<PageRow, 'page_number' | 'object_key'>[]> {
    return run(
      this.dataSource,
      sql`select p.page_number, p.object_key
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
    const statement = countStatement(appId, selection, MOST_COUNTED);
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

  /** Pages of the documents of a selection within ranges of numbers, each once, those of a document in order. */
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

  /** Writes pages under a revision that nobody sees yet. */
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

function seenPages(scope: Scope, documentId: string): Sql {
  const { appId } = shardOf(scope, documentId);
  return sql`pages p join documents d on ${SEEN}
          where p.app_id = ${appId} and p.document_id = ${documentId}::uuid`;
}

/** The page `p` is one that its document `d` shows; others are still being written. */
const SEEN = raw(
  'd.app_id = p.app_id and d.external_id = p.document_id and p.revision = any(d.page_revisions)',
);

/** What every statement that returns pages selects of them. */
const PRESENTED = raw(`p.document_id, p.page_number, p.object_key, p.content,
  d.metadata as document_metadata, d.filename, d.folder_path`);

/** What pages are near to. */
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

/** Number of matching pages, whose count stops at `enough`, and the length of the vectors of all pages; null: there is none. */
function countStatement(appId: string, { find }: CompiledSelection, enough: number): Sql {
  return sql`
select count(*)::float8 as matching,
  (select (value ->> 'dimensions')::integer from service_state where name = 'page_space') as dimensions
from (
  select 1 from documents d
  join pages p on ${SEEN}
  where ${find} and ${HAS_PAGES} and p.app_id = ${appId}
  limit ${enough}
) s`;
}

/** The nearest matching pages, every one of them measured. */
function nearestByScan({ appId, selection, target, limit }: NearestInput): Sql {
  return withVectors(
    appId,
    sql`nearest as materialized (
  select p.page_id, ${distanceTo(target)} as distance
  from documents d
  join pages p on ${SEEN}
  where ${selection.find} and ${HAS_PAGES} and p.app_id = ${appId}
  order by distance, p.page_id
  limit ${limit}
)`,
    target,
  );
}

/**
 * The nearest matching pages by a walk through the HNSW index that looks every page's document up: fewer than asked for
 * where the walk gave up. `offset 0` keeps PostgreSQL from turning the look-up into a join, for which it would leave the
 * index. The setting holds for this statement only.
 */
function nearestByIndex({ appId, selection, target, limit }: NearestInput, efSearch: number): Sql {
  return withVectors(
    appId,
    sql`tuned as materialized (
  select set_config('hnsw.ef_search', ${String(efSearch)}, true) as value
),
nearest as materialized (
  select p.page_id
  from pages p
  where (select value from tuned) is not null and p.app_id = ${appId}
    and exists (select from documents d where ${SEEN} and ${selection.test} offset 0)${inIndex(target)}
  order by ${distanceTo(target)}
  limit ${limit}
)`,
    target,
  );
}

/** Pages of the documents of a selection within ranges of numbers, each once, in order. */
function pageRangesStatement(
  appId: string,
  { test }: CompiledSelection,
  ranges: readonly DocumentRange[],
): Sql {
  return sql`
select distinct on (p.document_id, p.page_number) ${PRESENTED}
from ${rangeRows(ranges)}
join documents d on d.app_id = ${appId} and d.external_id = r.document_id
join pages p on ${SEEN} and p.page_number between r.first and r.last
where ${test} and p.app_id = ${appId}
order by p.document_id, p.page_number`;
}

/** Most documents have no pages, and are left out before anything is looked up for them. */
const HAS_PAGES = raw("d.page_revisions <> '{}'");

/** @param nearest has the `page_id` of each */
function withVectors(appId: string, nearest: Sql, { fingerprint }: Target): Sql {
  const likeness =
    fingerprint === null ? raw('null') : sql`greatest(0, 1 - (${difference(fingerprint)}) / 32)`;
  return sql`
with ${nearest}
select p.page_id, p.vectors, ${likeness} as likeness,
  ${PRESENTED}
from nearest n
join pages p on p.app_id = ${appId} and p.page_id = n.page_id
join documents d on ${SEEN}`;
}

/** What an index over the pages `p` asks for to be used. */
function inIndex(target: Target): Sql {
  return target.by === 'vector' ? sql` and ${new PageIndex(target.dimensions).holds('p.pooled')}` : empty;
}

/** What orders the pages `p`, nearest first. */
function distanceTo(target: Target): Sql {
  return target.by === 'vector'
    ? sql`${raw(`p.pooled::halfvec(${target.dimensions})`)} <#> ${target.pooled}`
    : difference(target.fingerprint);
}

/** Number of bits in which the fingerprint of the page `p` differs; null where it has none. */
function difference(fingerprint: string): Sql {
  return sql`p.fingerprint <~> ${fingerprint}::bit(64)`;
}
