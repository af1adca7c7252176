import { Injectable } from '@nestjs/common';
import sql, { join, type Sql } from 'sql-template-tag';
import { LIST_NAMES } from '../access/access-lists.js';
import type { Principal } from '../access/principal.js';
import { type Scope, shardsOf } from '../auth/scope.js';
import { run, type Queryable } from '../database/run.js';
import { belowPredicate } from '../filters/folders.js';
import type { FolderClaim } from './folder.entity.js';
import { OWNED, type OwnedFolder } from './folder.repository.js';

/** A folder of a person, and what others who made it too see of it. */
export interface LeftFolder extends OwnedFolder {
  readonly claims: Readonly<Record<string, FolderClaim>>;
}

/** Who has a folder from now on. */
export interface NextOwner {
  /** null: the tenant. */
  readonly endUserId: string | null;
  readonly claim: FolderClaim | null;
}

/** Folders, or documents, in one statement. */
const BATCH = 100;

/**
 * Statements over whose folders are, and over whom lists name, for a person who is removed. Whether the caller may do this
 * was decided before. The first shard has the owners, the claims and the lists of folders.
 */
@Injectable()
export class FolderOwnerRepository {
  /** Returns some folders of a person, subfolders first. */
  async ownedBy(database: Queryable, { appId }: Scope, person: string): Promise<LeftFolder[]> {
    return run(
      database,
      sql`select ${OWNED}, f.claims from folders f where f.app_id = ${appId} and f.end_user_id = ${person}
          order by length(f.path) desc, f.path limit ${BATCH}`,
    );
  }

  /** Returns the owner of the first folder below a folder; undefined: there is none. */
  async makerBelow(
    database: Queryable,
    { appId }: Scope,
    { path }: OwnedFolder,
  ): Promise<string | null | undefined> {
    const [below] = await run<{ maker: string | null }>(
      database,
      sql`select f.end_user_id as maker from folders f where f.app_id = ${appId} and ${belowPredicate(sql`f.path`, path)}
          order by f.path limit 1`,
    );
    return below?.maker;
  }

  async hasDocuments(database: Queryable, scope: Scope, { id }: OwnedFolder): Promise<boolean> {
    for (const { appId } of shardsOf(scope)) {
      const rows = await run(
        database,
        sql`select d.external_id from documents d where d.app_id = ${appId} and d.folder_id = ${id}::uuid limit 1`,
      );
      if (rows.length > 0) return true;
    }
    return false;
  }

  /** Gives a folder to somebody else; null: to the tenant. */
  async give(manager: Queryable, { appId }: Scope, id: string, endUserId: string | null): Promise<void> {
    await run(
      manager,
      sql`update folders f set end_user_id = ${endUserId} where f.app_id = ${appId} and f.folder_id = ${id}::uuid`,
    );
  }

  /** Gives a folder that only its owner saw to somebody else, without what the owner before told of it. */
  async giveBare(
    manager: Queryable,
    { appId }: Scope,
    id: string,
    { endUserId, claim }: NextOwner,
  ): Promise<void> {
    await run(
      manager,
      sql`update folders f set end_user_id = ${endUserId}, description = ${claim?.description ?? null},
            claims = f.claims - coalesce(${endUserId}::text, '')
          where f.app_id = ${appId} and f.folder_id = ${id}::uuid`,
    );
    await run(
      manager,
      sql`delete from folder_summaries where app_id = ${appId} and subject_id = ${id}::uuid`,
    );
    await run(
      manager,
      sql`update vector_stores v set name = null, description = null, metadata = null
          where v.app_id = ${appId} and v.folder_id = ${id}::uuid`,
    );
  }

  /** Forgets that a person made folders which others had made, or gives this to somebody else. */
  async passClaims(manager: Queryable, { appId }: Scope, person: string, to: string | null): Promise<void> {
    const left = sql`f.claims - ${person}::text`;
    const passed =
      to === null
        ? left
        : sql`jsonb_set(${left}, ${[to]}::text[], coalesce(f.claims -> ${to}::text, f.claims -> ${person}::text))`;
    await run(
      manager,
      sql`update folders f set claims = ${passed}
          where f.app_id = ${appId} and jsonb_exists(f.claims, ${person}::text)`,
    );
  }

  /** Returns some folders whose own lists name a principal. */
  async naming(database: Queryable, { appId }: Scope, principal: Principal): Promise<OwnedFolder[]> {
    return run(
      database,
      sql`select ${OWNED} from folders f where f.app_id = ${appId} and ${names(sql`f.access`, principal)}
          order by f.path limit ${BATCH}`,
    );
  }

  /** Takes a principal off the own lists of some documents of one tenant shard. @returns the number of documents */
  async takeOffDocuments(manager: Queryable, { appId }: Scope, principal: Principal): Promise<number> {
    const rows = await run(
      manager,
      sql`update documents d set access = ${without(sql`d.access`, principal)}
          where d.app_id = ${appId} and d.external_id = any(array(
            select x.external_id from documents x
            where x.app_id = ${appId} and x.readers @> ${[principal]}::text[] and ${names(sql`x.access`, principal)}
            limit ${BATCH}))
          returning d.external_id`,
    );
    return rows.length;
  }
}

/** Access lists without a principal. A cluster takes only immutable functions in an update, as these are. */
function without(lists: Sql, principal: Principal): Sql {
  return LIST_NAMES.reduce(
    (left, name) =>
      sql`jsonb_set(${left}, ${[name]}::text[], (${lists} -> ${name}::text) - ${principal}::text)`,
    lists,
  );
}

/** Whether access lists name a principal. */
function names(lists: Sql, principal: Principal): Sql {
  const listed = LIST_NAMES.map((name) => sql`jsonb_exists(${lists} -> ${name}::text, ${principal}::text)`);
  return sql`(${join(listed, ' or ')}) is true`;
}
