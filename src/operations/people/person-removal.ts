import { Injectable } from '@nestjs/common';
import sql, { raw } from 'sql-template-tag';
import { DataSource } from 'typeorm';
import { userPrincipal } from '../../access/principal.js';
import { requireFullReach, type Scope, shardIds } from '../../auth/scope.js';
import { ChatLinkRepository } from '../../chats/links/chat-link.repository.js';
import { TalkRepository } from '../../chats/talk.repository.js';
import { FolderOwnerRepository } from '../../corpus/folder-owner.repository.js';
import { FileBatchRepository } from '../../corpus/vector-stores/file-batch.repository.js';
import { run } from '../../database/run.js';
import { DocumentRemoval } from '../../documents/document-removal.js';
import { UploadedFileRemoval } from '../../documents/files/uploaded-file-removal.js';
import { Invalid } from '../../errors/index.js';
import { LeftFoldersService } from '../../folders/left-folders.service.js';
import { PeopleListRepository } from './people-list.repository.js';
import { TenantPeopleService } from './tenant-people.service.js';

/** What becomes of what a person owns. */
export interface Fate {
  readonly documents: 'keep' | 'delete' | 'hand_over';
  readonly chats: 'keep' | 'delete';
  /** Who gets the documents. */
  readonly to: string | null;
}

export interface Removed {
  readonly keys: number;
  readonly deletedDocuments: number;
  readonly deletedFiles: number;
  readonly deletedFolders: number;
  readonly handedOver: number;
  readonly deletedChats: number;
}

/** Tables of things with an owner, without talk. */
const OWNED = ['documents', 'folders', 'files', 'file_batches'] as const;

/** Documents or files that are found and deleted together. */
const BATCH = 100;

const NOTHING = { deletedDocuments: 0, deletedFiles: 0, deletedFolders: 0 };

/**
 * Removes a person. The access and the links to chats end first. If the rest is interrupted, the same request goes on with it.
 */
@Injectable()
export class PersonRemoval {
  constructor(
    private readonly dataSource: DataSource,
    private readonly people: TenantPeopleService,
    private readonly list: PeopleListRepository,
    private readonly documents: DocumentRemoval,
    private readonly files: UploadedFileRemoval,
    private readonly batches: FileBatchRepository,
    private readonly folderOwners: FolderOwnerRepository,
    private readonly folders: LeftFoldersService,
    private readonly talk: TalkRepository,
    private readonly links: ChatLinkRepository,
  ) {}

  /**
   * @throws NotFound for somebody who never had a key; Invalid if `to` is missing or is not another active person;
   * Forbidden if the caller does not read everything, but would delete or hand over
   */
  async remove(scope: Scope, id: string, fate: Fate): Promise<Removed> {
    if (fate.documents !== 'keep' || fate.chats !== 'keep') requireFullReach(scope);
    const to = fate.documents === 'hand_over' ? await this.heir(scope, id, fate.to) : null;
    const keys = await this.dataSource.transaction(async (manager) => {
      await this.links.endOf(manager, scope, userPrincipal(id)); // nobody else could end them
      return this.people.end(manager, scope, id);
    });
    const handedOver = to === null ? 0 : await this.handOver(scope, id, to);
    const deleted = fate.documents === 'delete' ? await this.deleteThings(scope, id) : NOTHING;
    // What is kept waits for an invitation with the same identifier, which restores the access.
    if (fate.documents !== 'keep') {
      await this.folders.takeOffLists(scope, id);
      await this.deleteWebhooks(scope, id);
    }
    const deletedChats = fate.chats === 'delete' ? await this.talk.deleteOf(scope, userPrincipal(id)) : 0;
    return { keys, handedOver, ...deleted, deletedChats };
  }

  private async heir(scope: Scope, id: string, to: string | null): Promise<string> {
    if (to !== null && to !== id && (await this.list.active(scope, [to])).has(to)) return to;
    throw Invalid.at(['query', 'to'], 'Value error, hand_over needs another person who has access');
  }

  /** @returns the number of documents */
  private async handOver(scope: Scope, id: string, to: string): Promise<number> {
    const shards = shardIds(scope);
    return this.dataSource.transaction(async (manager) => {
      let documents = 0;
      for (const table of OWNED) {
        const rows = await run(
          manager,
          sql`update ${raw(table)} set end_user_id = ${to}
              where app_id = any(${shards}::text[]) and end_user_id = ${id} returning app_id`,
        );
        if (table === 'documents') documents = rows.length;
      }
      await this.folderOwners.passClaims(manager, scope, id, to);
      return documents;
    });
  }

  /**
   * Files go before documents, so that no batch makes a document of them afterwards. What others made of a file stays.
   * Folders come last, because those that are empty then are deleted.
   */
  private async deleteThings(scope: Scope, id: string): Promise<typeof NOTHING> {
    await this.batches.deleteOf(scope, id);
    const deletedFiles = await this.deleteFiles(scope, id);
    const deletedDocuments = await this.deleteDocuments(scope, id);
    await this.folderOwners.passClaims(this.dataSource, scope, id, null);
    const deletedFolders = await this.folders.delete(scope, id);
    return { deletedFiles, deletedDocuments, deletedFolders };
  }

  /** Webhooks are not handed over: they tell what their maker reads. */
  private async deleteWebhooks({ appId }: Scope, id: string): Promise<void> {
    await run(
      this.dataSource,
      sql`delete from webhooks w where w.app_id = ${appId} and w.owner = ${userPrincipal(id)}`,
    );
  }

  /** @returns the number of files */
  private async deleteFiles(scope: Scope, id: string): Promise<number> {
    for (let deleted = 0; ;) {
      const rows = await run<{ id: string }>(
        this.dataSource,
        sql`select f.file_id as id from files f
            where f.app_id = ${scope.appId} and f.end_user_id = ${id} limit ${BATCH}`,
      );
      if (rows.length === 0) return deleted;
      for (const row of rows) if (await this.files.remove(scope, row.id, 'keep')) deleted += 1;
    }
  }

  /** @returns the number of documents */
  private async deleteDocuments(scope: Scope, id: string): Promise<number> {
    for (let deleted = 0; ;) {
      const rows = await run<{ id: string }>(
        this.dataSource,
        sql`select d.external_id as id from documents d
            where d.app_id = any(${shardIds(scope)}::text[]) and d.end_user_id = ${id} limit ${BATCH}`,
      );
      if (rows.length === 0) return deleted;
      const { results } = await this.documents.deleteAll(
        scope,
        rows.map((row) => row.id),
      );
      const done = results.filter(({ status }) => status === 'success').length;
      if (done === 0 && results.some(({ status }) => status === 'forbidden')) {
        throw new Error(`documents of ${id} cannot be deleted`);
      }
      deleted += done;
    }
  }
}
