import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Scope } from '../auth/scope.js';
import { FolderEntity } from './folder.entity.js';

export interface FolderReference {
  readonly id: string;
  readonly path: string;
}

/** Folders by their normalised paths. */
@Injectable()
export class FolderRepository {
  /** The folder of that path; it and its ancestors are made where they are missing. The root has no row: null. */
  async ensure(manager: EntityManager, scope: Scope, path: string): Promise<FolderReference | null> {
    const paths = lineage(path);
    if (paths.length === 0) return null;
    await manager
      .createQueryBuilder()
      .insert()
      .into(FolderEntity)
      .values(paths.map((one) => ({ appId: scope.appId, path: one })))
      .orIgnore()
      .updateEntity(false)
      .execute();
    const { folderId } = await manager.findOneByOrFail(FolderEntity, { appId: scope.appId, path });
    return { id: folderId, path };
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
