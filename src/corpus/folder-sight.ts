import sql from 'sql-template-tag';
import { visibleTo } from '../access/visible-to.js';
import { ownerOf } from '../access/principal.js';
import { type Scope, shardsOf } from '../auth/scope.js';
import { run, type Queryable } from '../database/run.js';
import { andVisible } from '../filters/document-predicate.js';
import { belowPredicate, lineage, VECTOR_STORES_FOLDER, withinFolder } from '../filters/folders.js';
import type { FolderClaim } from './folder.entity.js';

/** What a key sees of the folders of its tenant. */
export interface FolderSight {
  /** Paths of the folders whose names the key may not see. */
  readonly concealed: ReadonlySet<string>;
  /**
   * By path, the folders of which a key may know only the name. It added documents to a folder that others use in
   * private, or made a folder of the same name.
   */
  readonly nameOnly: ReadonlyMap<string, SeenDetails>;
}

export interface SeenDetails {
  readonly description: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

const EVERYTHING: FolderSight = { concealed: new Set(), nameOnly: new Map() };

/** One folder in one shard of the tenant. */
interface Contents {
  readonly path: string;
  /** Whether documents are in the folder itself. */
  readonly isFilled: boolean;
  /** When the first document in the folder that the key may see was added; null: there is none. */
  readonly seenSince: Date | null;
  /** Whether the key may see a document in the folder that is not its person's. */
  readonly seesOthers: boolean;
  /** Whether the folder has a document that the key may not see. */
  readonly hidesSome: boolean;
  /** Whether the key may read the folder because of its owner or its lists, or because it is a store of the tenant. */
  readonly isGranted: boolean;
  /** Whether the folder belongs to the tenant, has no lists, and was not made as a vector store. */
  readonly isOrdinary: boolean;
  readonly claim: FolderClaim | null;
}

/**
 * Returns what a key sees of folders. A key that does not read everything sees the name of each folder that
 * - directly contains a document visible to the key,
 * - belongs to the person, or has lists that let the key read it,
 * - the person made although others had made it in private (a claim),
 * - is an ordinary folder of the tenant without documents, not even in its subfolders,
 * - is a vector store of the tenant.
 *
 * It also sees the names of their ancestors.
 *
 * @param path restricts the result to a folder and its descendants; null returns all folders of the tenant
 */
export async function folderSight(
  database: Queryable,
  scope: Scope,
  path: string | null,
): Promise<FolderSight> {
  if (scope.reach === 'all') return EVERYTHING;
  const contents: Contents[] = [];
  for (const [number, part] of shardsOf(scope).entries()) {
    const found = await contentsOf(database, part, path);
    // Only the row in the first shard has the owner and the lists; the others are there for their documents.
    const known = number === 0 ? {} : { isGranted: false, isOrdinary: false };
    contents.push(...found.map((folder) => ({ ...folder, ...known })));
  }
  const pathsOf = (kind: (folder: Contents) => boolean): ReadonlySet<string> =>
    new Set(contents.filter(kind).flatMap((folder) => lineage(folder.path)));
  const filled = pathsOf(({ isFilled }) => isFilled);
  const shown = pathsOf(
    (folder) =>
      folder.seenSince !== null ||
      folder.isGranted ||
      folder.claim !== null ||
      (folder.isOrdinary && !filled.has(folder.path)),
  );
  const seesOthers = pathsOf((folder) => folder.seesOthers);
  const hiding = new Set(contents.filter(({ hidesSome }) => hidesSome).map((folder) => folder.path));
  const isKnown = ({ path: one, isGranted, isOrdinary }: Contents): boolean =>
    isGranted || seesOthers.has(one) || (isOrdinary && !hiding.has(one));
  const known = new Set(contents.filter(isKnown).map((folder) => folder.path));
  return {
    concealed: new Set(contents.map((folder) => folder.path).filter((one) => !shown.has(one))),
    nameOnly: detailsOf(contents.filter((folder) => !known.has(folder.path))),
  };
}

function detailsOf(contents: readonly Contents[]): Map<string, SeenDetails> {
  const details = new Map<string, SeenDetails>();
  for (const { path, claim, seenSince } of contents) {
    const claimedAt = claim === null ? null : new Date(claim.at);
    const since = claimedAt ?? seenSince ?? details.get(path)?.createdAt ?? new Date(0);
    const description = claim?.description ?? details.get(path)?.description ?? null;
    details.set(path, { description, createdAt: since, updatedAt: since });
  }
  return details;
}

/** Reads one shard. A document and the row of its folder are in the same shard. */
async function contentsOf(
  database: Queryable,
  scope: Scope,
  path: string | null,
): Promise<readonly Contents[]> {
  const { appId, endUserId } = scope;
  const inFolder = sql`documents d where d.app_id = ${appId} and d.folder_id = f.folder_id`;
  const [granted = sql`true`] = visibleTo(scope, sql`f.readers`);
  const [visible = sql`true`] = visibleTo(scope, sql`d.readers`);
  return run<Contents>(
    database,
    sql`select f.path, exists (select d.external_id from ${inFolder}) as "isFilled",
          (select min(d.created_at) from ${inFolder}${andVisible(scope)}) as "seenSince",
          exists (select d.external_id from ${inFolder}${andVisible(scope)}
                  and d.owner is distinct from ${ownerOf(scope)}::text) as "seesOthers",
          exists (select d.external_id from ${inFolder} and not (${visible})) as "hidesSome",
          (not ${IS_ORDINARY} and ${granted}) as "isGranted", ${IS_ORDINARY} as "isOrdinary",
          f.claims -> ${endUserId}::text as claim
        from folders f where f.app_id = ${appId}${path === null ? sql`` : sql` and ${withinFolder(path)}`}`,
  );
}

const IS_ORDINARY = sql`(f.owner is null and f.access is null and f.folder_access is null
  and not (${belowPredicate(sql`f.path`, VECTOR_STORES_FOLDER)}))`;
