import sql, { type Sql } from 'sql-template-tag';
import { belowPredicate, isBelow, ROOT_FOLDER } from './folders.js';

/**
 * The folders of OpenAI vector stores, and all that distinguishes them from other folders. Each store is a subfolder of
 * this folder. The folder itself is no store, belongs to everybody, and is made with the first store of a tenant.
 */
export const STORES_FOLDER = '/vector_stores';

/** Returns the path of a new store. */
export function storePath(id: string): string {
  return `${STORES_FOLDER}/${id}`;
}

/** Whether a folder was made as a vector store. Requests may also use any other folder as a store. */
export function isMadeAsStore({ path }: { readonly path: string }): boolean {
  return isBelow(path, STORES_FOLDER);
}

/** SQL for {@link isMadeAsStore}, for a row of `folders`. */
export function wasMadeAsStore(folder: Sql): Sql {
  return belowPredicate(sql`${folder}.path`, STORES_FOLDER);
}

/**
 * Whether a search leaves out the vector stores, because an application may have a store for each of its customers: it
 * covers all folders, but names neither the folder of the stores nor one of them.
 */
export function leavesOutStores({
  folders,
  folderDepth,
}: {
  readonly folders: readonly string[] | null;
  readonly folderDepth: number;
}): boolean {
  const coversAll = folders === null || (folderDepth !== 0 && folders.includes(ROOT_FOLDER));
  return coversAll && folders?.some((path) => path === STORES_FOLDER || isMadeAsStore({ path })) !== true;
}

/** Whether the tenant has made a vector store. If not, leaving out the stores changes no result. */
export function hasStores(appId: string): Sql {
  return sql`exists (select from folders f where f.app_id = ${appId} and f.path = ${STORES_FOLDER})`;
}
