import sql, { empty, join, type Sql } from 'sql-template-tag';
import { type Caller, EVERYONE, namesOf, ownerOf, principalsOf } from './principal.js';

/**
 * The condition on rows of an owned thing that a caller may read. It is part of every statement that returns such rows
 * to a caller. The database derives `readers` from the lists of a document and its folders (`access_readers`, a generated
 * column: owned.entity.ts); `may.ts` decides about changes.
 *
 * @param readers the column `readers` of the row: the principals who may read it, its owner among them
 * @returns no condition for a caller who reads everything of the tenant
 */
export function visibleTo(caller: Pick<Caller, 'endUserId' | 'groups' | 'reach'>, readers: Sql): Sql[] {
  const principals = principalsOf(caller);
  return principals === null ? [] : [sql`${readers} && ${principals}::text[]`];
}

/** The condition of {@link visibleTo}, to be appended to another condition. */
export function andVisibleTo(caller: Pick<Caller, 'endUserId' | 'groups' | 'reach'>, readers: Sql): Sql {
  const conditions = visibleTo(caller, readers);
  return conditions.length === 0 ? empty : sql` and ${join(conditions, ' and ')}`;
}

/**
 * The condition on rows of others that lists let a caller read by name, as a person or as a member of a group, and that
 * not everyone in the tenant may read.
 */
export function sharedByName(
  caller: Pick<Caller, 'endUserId' | 'groups'>,
  { owner, readers }: { readonly owner: Sql; readonly readers: Sql },
): Sql {
  return sql`${readers} && ${namesOf(caller)}::text[] and not ${readers} && ${[EVERYONE]}::text[] and ${owner} is distinct from ${ownerOf(caller)}`;
}

/**
 * The condition on rows that everyone in the tenant may read. The statistics of words count these documents only, see
 * `documents.in_shared_statistics`.
 *
 * @param readers the column `readers` of the row
 */
export function everyoneReads(readers: Sql): Sql {
  return sql`${EVERYONE} = any(${readers})`;
}
