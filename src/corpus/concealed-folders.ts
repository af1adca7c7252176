import sql from 'sql-template-tag';
import { type Scope, shardsOf } from '../auth/scope.js';
import { run, type Queryable } from '../database/run.js';
import { andVisible } from '../filters/document-predicate.js';
import { lineage, withinFolder } from '../filters/folders.js';

interface Contents {
  readonly path: string;
  /** Whether documents are in the folder itself. */
  readonly isFilled: boolean;
  /** Whether the key may see at least one document in the folder. */
  readonly isSeen: boolean;
}

/**
 * Returns the paths of the folders whose names the key may not see. The key of an end user sees each folder that
 * directly contains a document visible to the key, and each folder that contains no documents, not even in its
 * subfolders. It also sees the ancestors of these folders. Other keys see every folder.
 *
 * @param path restricts the result to a folder and its descendants; null returns all such folders of the tenant
 */
export async function concealedFolders(
  database: Queryable,
  scope: Scope,
  path: string | null,
): Promise<ReadonlySet<string>> {
  if (scope.endUserId === null) return new Set();
  const contents: Contents[] = [];
  for (const part of shardsOf(scope)) contents.push(...(await contentsOf(database, part, path)));
  const filled = pathsWith(contents.filter(({ isFilled }) => isFilled));
  const shared = contents.filter((folder) => folder.isSeen || !filled.has(folder.path));
  const shown = pathsWith(shared);
  return new Set([...filled].filter((one) => !shown.has(one)));
}

/** Reads one shard. A document and the row of its folder are in the same shard. */
async function contentsOf(
  database: Queryable,
  scope: Scope,
  path: string | null,
): Promise<readonly Contents[]> {
  const documents = sql`select from documents d where d.app_id = ${scope.appId} and d.folder_id = f.folder_id`;
  return run<Contents>(
    database,
    sql`select f.path, exists (${documents}) as "isFilled", exists (${documents}${andVisible(scope)}) as "isSeen"
        from folders f where f.app_id = ${scope.appId}${path === null ? sql`` : sql` and ${withinFolder(path)}`}`,
  );
}

/** Returns the paths of the folders and of their ancestors. */
function pathsWith(folders: readonly Contents[]): ReadonlySet<string> {
  return new Set(folders.flatMap(({ path }) => lineage(path)));
}
