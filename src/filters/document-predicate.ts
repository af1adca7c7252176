import sql, { empty, join, type Sql } from 'sql-template-tag';
import { validate as isUuid } from 'uuid';
import { EVERYONE } from '../access/principal.js';
import { sharedByName, visibleTo } from '../access/visible-to.js';
import { type DocumentBound, type Scope, shardIds } from '../auth/scope.js';
import { parseJson } from '../json/exact-json.js';
import { composed } from '../json/spelling.js';
import { compileFilter } from './sql/compile-filter.js';
import type { PredicateUse } from './sql/metadata-predicate.js';
import type { Filter } from './filter.js';
import { folderPredicate } from './folders.js';
import { parseFilter } from './parse/parse-filter.js';
import { STORES_FOLDER } from './store-folders.js';
import { type Range, withinRange } from './sql/ordered-range.js';
import { FALSE } from './sql/expressions.js';

/** Restrictions on the documents of a tenant. A null or absent member does not restrict. */
export interface DocumentSelection {
  readonly filter?: Filter | null;
  /** Normalised paths, OR-ed; an empty list matches nothing. */
  readonly folders?: readonly string[] | null;
  /** 0 (the default): only these folders; -1: also all descendants; n: also descendants up to n levels deep. */
  readonly folderDepth?: number;
  /** Excludes the documents of vector stores. */
  readonly withoutStores?: boolean;
  /** Selects the documents directly in this folder. */
  readonly folderId?: string | null;
  readonly endUserId?: string | null;
  /** Selects the documents that everyone of the tenant may read. */
  readonly sharedOnly?: boolean;
  /** Selects the documents of {@link sharedByName}. */
  readonly sharedByName?: boolean;
  /** Invalid UUIDs match no document. */
  readonly documentIds?: readonly string[] | null;
  readonly status?: 'completed' | 'processing' | 'failed' | null;
}

/**
 * Builds the predicate of every statement on documents or their chunks, over the row `d` of `documents`. The predicate
 * combines the tenant, what the key may read, and the selection.
 */
export function documentPredicate(
  scope: Scope,
  selection: DocumentSelection,
  use: PredicateUse = 'find',
): Sql {
  const {
    filter,
    folders,
    folderDepth = 0,
    withoutStores,
    folderId,
    endUserId,
    sharedOnly,
    sharedByName: isSharedByName,
    documentIds,
    status,
  } = selection;
  const restrictions = [
    inTenant(scope),
    ...(isSharedByName === true ? visibleByName(scope) : visibility(scope)),
  ];
  if (isGiven(status)) restrictions.push(sql`d.status = ${status}`);
  if (isGiven(endUserId)) restrictions.push(sql`d.end_user_id = ${endUserId}`);
  if (sharedOnly === true) restrictions.push(sql`d.readers && ${[EVERYONE]}::text[]`);
  if (isGiven(folderId)) restrictions.push(sql`d.folder_id = ${folderId}::uuid`);
  if (isGiven(folders)) restrictions.push(folderPredicate(folders, folderDepth));
  if (withoutStores === true) restrictions.push(sql`(${folderPredicate([STORES_FOLDER], -1)}) is not true`);
  if (isGiven(documentIds)) restrictions.push(idPredicate(documentIds));
  if (isGiven(filter)) restrictions.push(sql`(${compileFilter(filter, use)})`);
  return join(restrictions, ' and ');
}

/**
 * The predicate for the completed documents of a selection, in two forms. The predicate covers one shard of a tenant.
 */
export interface CompiledSelection {
  /** Optimised for index lookups. */
  readonly find: Sql;
  /** Optimised for rows that the statement has already read. */
  readonly test: Sql;
}

export function compileSelection(scope: Scope, selection: DocumentSelection): CompiledSelection {
  const completed = { ...selection, status: 'completed' } as const;
  return { find: documentPredicate(scope, completed), test: documentPredicate(scope, completed, 'test') };
}

/** Adds a condition to `find` that looks up the documents of a range in the table `metadata_order`. */
export function foundWithin(scope: Scope, selection: CompiledSelection, range: Range): CompiledSelection {
  return { ...selection, find: sql`${selection.find} and ${withinRange(scope.appId, range)}` };
}

/** What decides which documents a request may read. */
type Reader = Pick<Scope, 'endUserId' | 'groups' | 'reach' | 'token'>;

/**
 * Conditions on the row `d` of `documents` for the documents of the tenant that the key may read; no conditions: all
 * documents.
 */
export function visibility(scope: Reader): Sql[] {
  const { token } = scope;
  return [...visibleTo(scope, sql`d.readers`), ...(token === undefined ? [] : boundary(token))];
}

/** Like {@link visibility}, but without what everyone may read: the index then finds few rows. */
function visibleByName(scope: Reader): Sql[] {
  const { token } = scope;
  const named = sharedByName(scope, { owner: sql`d.owner`, readers: sql`d.readers` });
  return [named, ...(token === undefined ? [] : boundary(token))];
}

/** Conditions for the folder and filter of a browser token, which were validated when the token was issued. */
function boundary({ folder, filter }: DocumentBound): Sql[] {
  const parsed = filter === null ? null : parseFilter(parseJson(filter), []);
  return [
    ...(folder === null ? [] : [folderPredicate([composed(folder)], -1)]),
    ...(parsed === null ? [] : [sql`(${compileFilter(parsed, 'test')})`]),
  ];
}

/**
 * The condition on a row `d` of `documents` from which the statistics of words come for a caller, besides that everyone
 * may read it; null: no further condition.
 */
export function statisticsBound({ token }: Reader): Sql | null {
  const conditions = token === undefined ? [] : boundary(token);
  return conditions.length === 0 ? null : join(conditions, ' and ');
}

/** The conditions of {@link visibility}, to be appended to another condition. */
export function andVisible(scope: Reader): Sql {
  const restrictions = visibility(scope);
  return restrictions.length === 0 ? empty : sql` and ${join(restrictions, ' and ')}`;
}

/** Selects the rows of all shards of a tenant. */
function inTenant(scope: Scope): Sql {
  return scope.shards === 1
    ? sql`d.app_id = ${scope.appId}`
    : sql`d.app_id = any(${shardIds(scope)}::text[])`;
}

function idPredicate(ids: readonly string[]): Sql {
  const valid = ids.filter((id) => isUuid(id));
  return valid.length === 0 ? FALSE : sql`d.external_id = any(${valid}::uuid[])`;
}

function isGiven<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}

/** A range of chunk or page numbers of a document, inclusive. */
export interface DocumentRange {
  readonly documentId: string;
  readonly first: number;
  readonly last: number;
}

export function documentOf({ documentId }: DocumentRange): string {
  return documentId;
}

/** Returns a FROM item `r` with one row per range and the columns `document_id`, `first` and `last`. */
export function rangeRows(ranges: readonly DocumentRange[]): Sql {
  const ids = ranges.map(({ documentId }) => documentId);
  const firsts = ranges.map(({ first }) => first);
  const lasts = ranges.map(({ last }) => last);
  return sql`unnest(${ids}::uuid[], ${firsts}::integer[], ${lasts}::integer[]) as r(document_id, first, last)`;
}
