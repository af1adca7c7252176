import sql, { empty, raw, type Sql } from 'sql-template-tag';
import type { CompiledSelection } from '../filters/document-predicate.js';
import { rangeRows, type DocumentRange } from '../filters/document-ranges.js';
import { hasLength } from './page-index.js';

/** The page `p` is one that its document `d` shows; others are still being written. */
export const SEEN = raw(
  'd.app_id = p.app_id and d.external_id = p.document_id and p.revision = any(d.page_revisions)',
);

/** What every statement that returns pages selects of them. */
const PRESENTED =
  raw(`p.document_id as "documentId", p.page_number as "pageNumber", p.object_key as "objectKey",
  p.content, d.metadata as "documentMetadata", d.filename, d.folder_path as "folderPath"`);

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

export interface NearestInput {
  readonly appId: string;
  readonly selection: CompiledSelection;
  readonly target: Target;
  readonly limit: number;
}

/** Number of matching pages, whose count stops at `enough`, and the length of the vectors of all pages; null: there is none. */
export function countStatement(appId: string, { find }: CompiledSelection, enough: number): Sql {
  return sql`
select count(*)::float8 as matching,
  (select (value ->> 'dimensions')::integer from service_state where name = 'page_space') as dimensions
from (
  select from documents d
  join pages p on ${SEEN}
  where ${find} and ${HAS_PAGES} and p.app_id = ${appId}
  limit ${enough}
) s`;
}

/** The nearest matching pages, every one of them measured. */
export function nearestByScan({ appId, selection, target, limit }: NearestInput): Sql {
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
export function nearestByIndex({ appId, selection, target, limit }: NearestInput, efSearch: number): Sql {
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
export function pageRangesStatement(
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
select p.page_id as "pageId", p.vectors, ${likeness} as likeness,
  ${PRESENTED}
from nearest n
join pages p on p.app_id = ${appId} and p.page_id = n.page_id
join documents d on ${SEEN}`;
}

/** What an index over the pages `p` asks for to be used. */
function inIndex(target: Target): Sql {
  return target.by === 'vector' ? sql` and ${hasLength('p.pooled', target.dimensions)}` : empty;
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
