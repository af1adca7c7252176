import { Injectable } from '@nestjs/common';
import sql, { raw } from 'sql-template-tag';
import { DataSource } from 'typeorm';
import { userPrincipal } from '../../access/principal.js';
import { requireFullReach, type Scope, shardIds } from '../../auth/scope.js';
import { ChatLinkRepository } from '../../chats/links/chat-link.repository.js';
import { TalkRepository } from '../../chats/talk.repository.js';
import { run } from '../../database/run.js';
import { DocumentRemoval } from '../../documents/document-removal.js';
import { Invalid } from '../../errors/index.js';
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
  readonly handedOver: number;
  readonly deletedChats: number;
}

/** Tables of things with an owner, without talk. */
const OWNED = ['documents', 'folders', 'files', 'file_batches'] as const;

/** Documents that are found and deleted together. */
const BATCH = 100;

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
    const deletedDocuments = fate.documents === 'delete' ? await this.deleteDocuments(scope, id) : 0;
    const deletedChats = fate.chats === 'delete' ? await this.talk.deleteOf(scope, userPrincipal(id)) : 0;
    return { keys, handedOver, deletedDocuments, deletedChats };
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
      return documents;
    });
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
