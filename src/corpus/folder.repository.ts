import { Injectable } from '@nestjs/common';
import sql from 'sql-template-tag';
import type { Scope } from '../auth/scope.js';
import { run, type Queryable } from '../database/run.js';

export interface FolderReference {
  readonly id: string;
  readonly path: string;
}

/** Statements over folder rows. Paths are normalised: one leading slash, no trailing one. */
@Injectable()
export class FolderRepository {
  /** The folder of that path; it and its ancestors are made where they are missing. The root has no row: null. */
  async ensure(manager: Queryable, scope: Scope, path: string): Promise<FolderReference | null> {
    const paths = lineage(path);
    if (paths.length === 0) return null;
    await run(
      manager,
      sql`insert into folders (app_id, path) select ${scope.appId}, p from unnest(${paths}::text[]) as p
          on conflict (app_id, path) do nothing`,
    );
    const [row] = await run<{ folder_id: string; path: string }>(
      manager,
      sql`select folder_id, path from folders where app_id = ${scope.appId} and path = ${path}`,
    );
    if (row === undefined) throw new Error('a folder that was just made is missing');
    return { id: row.folder_id, path: row.path };
  }
}

/** `/a/b/c` -> `/a`, `/a/b`, `/a/b/c`. */
function lineage(path: string): string[] {
  const segments = path
    .split('/')
    .slice(1)
    .filter((segment) => segment !== '');
  return segments.map((_, index) => `/${segments.slice(0, index + 1).join('/')}`);
}
