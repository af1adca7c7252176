import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import {
  changedLists,
  effectiveLists,
  everybodyOn,
  LIST_NAMES,
  type AccessLists,
} from '../access/access-lists.js';
import { type Principal, userPrincipal } from '../access/principal.js';
import { type Scope, shardsOf } from '../auth/scope.js';
import { FolderOwnerRepository, type LeftFolder, type NextOwner } from '../corpus/folder-owner.repository.js';
import { FolderTreeRepository } from '../corpus/folder-tree.repository.js';
import { FolderRepository, type FolderReference } from '../corpus/folder.repository.js';
import { withLongerDeadline } from '../database/deadline.js';
import { listsOfFolder } from './folder-rights.js';

/** Time in milliseconds that each folder, or batch of documents, adds to the deadline. */
const STEP_MS = 100;

/** Time in milliseconds that each document below a folder whose lists change adds to the deadline. */
const LISTED_MS = 10;

/**
 * What becomes of the folders of a person who is removed, and of the lists that name the person. Each step is a transaction
 * of its own, and a repetition goes on with what is left.
 */
@Injectable()
export class LeftFoldersService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly folders: FolderRepository,
    private readonly tree: FolderTreeRepository,
    private readonly owners: FolderOwnerRepository,
  ) {}

  /**
   * Deletes the folders and vector stores that are a person's alone. A folder stays if something lies in it, if its lists
   * name others, or if somebody else made it too. It is then theirs or the tenant's.
   * @returns the number of deleted folders
   */
  async delete(scope: Scope, person: string): Promise<number> {
    for (let deleted = 0; ;) {
      const { found, gone } = await this.dataSource.transaction(async (manager) => {
        await this.folders.lockAlone(manager, scope);
        const some = await this.owners.ownedBy(manager, scope, person);
        const count = await withLongerDeadline(manager, some.length * STEP_MS, async () => {
          let all = 0;
          for (const folder of some) all += (await this.leave(manager, scope, folder)) ? 1 : 0;
          return all;
        });
        return { found: some.length, gone: count };
      });
      if (found === 0) return deleted;
      deleted += gone;
    }
  }

  /** Takes a person off the lists of all folders and documents. Whoever has a folder now is an admin on its lists. */
  async takeOffLists(scope: Scope, person: string): Promise<void> {
    const principal = userPrincipal(person);
    for (const shard of shardsOf(scope)) {
      for (let isDone = false; !isDone;) {
        isDone = await this.dataSource.transaction((manager) =>
          withLongerDeadline(
            manager,
            STEP_MS,
            async () => (await this.owners.takeOffDocuments(manager, shard, principal)) === 0,
          ),
        );
      }
    }
    for (let isDone = false; !isDone;) {
      const naming = await this.owners.naming(this.dataSource, scope, principal);
      for (const folder of naming) await this.takeOffFolder(scope, folder, principal);
      isDone = naming.length === 0;
    }
  }

  private takeOffFolder(scope: Scope, { id, path }: FolderReference, principal: Principal): Promise<void> {
    return this.dataSource.transaction(async (manager) => {
      await this.folders.lockAlone(manager, scope);
      const folder = await this.folders.find(manager, scope, { id, path });
      if (folder === null) return;
      const { documents } = await this.tree.extent(manager, scope, folder.path);
      await this.tree.setLists(manager, scope, id, listsOfFolder(folder, without(folder.access, principal)));
      await withLongerDeadline(manager, STEP_MS + documents * LISTED_MS, () =>
        this.tree.refreshLists(manager, scope, folder.path),
      );
    });
  }

  /** @returns whether the folder is deleted */
  private async leave(manager: EntityManager, scope: Scope, folder: LeftFolder): Promise<boolean> {
    const lists = effectiveLists(folder);
    if (lists !== null && everybodyOn(lists).some((one) => one !== folder.owner)) {
      await this.owners.give(manager, scope, folder.id, null);
      return false;
    }
    const below = await this.owners.makerBelow(manager, scope, folder);
    const isClaimed = Object.keys(folder.claims).length > 0;
    if (!isClaimed && below === undefined && !(await this.owners.hasDocuments(manager, scope, folder))) {
      await this.tree.delete(manager, scope, folder.path);
      return true;
    }
    // Whoever has a folder with lists is an admin of what lies in it.
    const next = lists === null ? nextOwner(folder, below ?? null) : TENANT;
    await this.owners.giveBare(manager, scope, folder.id, next);
    return false;
  }
}

const TENANT: NextOwner = { endUserId: null, claim: null };

/**
 * Returns who has a private folder next: who made it too, or made a folder below, as its name stays private then;
 * otherwise the tenant.
 */
function nextOwner({ claims }: LeftFolder, below: string | null): NextOwner {
  const [next] = Object.entries(claims).sort(([, one], [, other]) => one.at.localeCompare(other.at));
  return next === undefined ? { endUserId: below, claim: null } : { endUserId: next[0], claim: next[1] };
}

function without(lists: AccessLists | null, principal: Principal): AccessLists {
  const left = changedLists(lists, {});
  const kept = LIST_NAMES.map((name) => [name, left[name].filter((one) => one !== principal)] as const);
  return { ...left, ...Object.fromEntries(kept) };
}
