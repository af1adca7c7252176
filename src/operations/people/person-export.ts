import { Injectable } from '@nestjs/common';
import sql from 'sql-template-tag';
import { DataSource } from 'typeorm';
import { userPrincipal } from '../../access/principal.js';
import { requireFullReach, type Scope, shardsOf } from '../../auth/scope.js';
import { toChatMessageDto } from '../../chats/chat.dto.js';
import { ChatRepository, type FullTurn } from '../../chats/chat.repository.js';
import { DocumentTextRepository } from '../../corpus/document-text.repository.js';
import { run } from '../../database/run.js';
import { printJson } from '../../json/exact-json.js';
import { toPersonDto } from './people.dto.js';
import { TenantPeopleService } from './tenant-people.service.js';

/** Documents or conversations that are read together. */
const BATCH = 10;

/** Smaller than every UUID that is given out. */
const FIRST = '00000000-0000-0000-0000-000000000000';

interface OwnedDocument {
  readonly id: string;
  readonly filename: string | null;
  readonly folder: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

interface OwnedTalk {
  readonly id: string;
  readonly kind: 'chat' | 'conversation' | 'response';
  readonly chatId: string | null;
  readonly title: string | null;
  readonly folder: string | null;
  readonly createdAt: Date;
}

/** Writes what the service stores of a person. */
@Injectable()
export class PersonExport {
  constructor(
    private readonly dataSource: DataSource,
    private readonly people: TenantPeopleService,
    private readonly texts: DocumentTextRepository,
    private readonly chats: ChatRepository,
  ) {}

  /**
   * Yields JSON lines: the person, their documents with the text, and what they asked, with the answers.
   * @throws NotFound for somebody who never had a key; Forbidden if the caller does not read everything
   */
  async *lines(scope: Scope, id: string): AsyncGenerator<string> {
    requireFullReach(scope);
    const { person, owned } = await this.people.find(scope, id);
    yield line({ type: 'person', person: toPersonDto(person, owned) });
    for (const shard of shardsOf(scope)) yield* this.documents(shard, id);
    yield* this.talk(scope, id);
  }

  private async *documents(shard: Scope, id: string): AsyncGenerator<string> {
    for (let last = FIRST, isFull = true; isFull;) {
      const documents = await run<OwnedDocument>(
        this.dataSource,
        sql`select d.external_id as id, d.filename, d.folder_path as folder, d.metadata, d.created_at as "createdAt",
              d.updated_at as "updatedAt"
            from documents d
            where d.app_id = ${shard.appId} and d.end_user_id = ${id} and d.external_id > ${last}::uuid
            order by d.external_id limit ${BATCH}`,
      );
      const ids = documents.map((document) => document.id);
      const texts = await this.texts.whole(shard, ids);
      for (const { id: document, filename, folder, metadata, createdAt, updatedAt } of documents) {
        yield line({
          type: 'document',
          external_id: document,
          filename,
          folder_path: folder,
          metadata,
          created_at: createdAt,
          updated_at: updatedAt,
          content: texts.get(document) ?? '',
        });
      }
      last = ids.at(-1) ?? last;
      isFull = documents.length === BATCH;
    }
  }

  private async *talk(scope: Scope, id: string): AsyncGenerator<string> {
    for (let last = FIRST, isFull = true; isFull;) {
      const found = await run<OwnedTalk>(
        this.dataSource,
        sql`select c.conversation_id as id, c.kind, c.chat_id as "chatId", c.title, c.folder, c.created_at as "createdAt"
            from conversations c
            where c.app_id = ${scope.appId} and c.owner = ${userPrincipal(id)} and c.conversation_id > ${last}::uuid
            order by c.conversation_id limit ${BATCH}`,
      );
      const ids = found.map((one) => one.id);
      const turns = await this.chats.turns(scope, ids, null);
      const replaced = await this.chats.replacedTurns(scope, ids, null);
      for (const { id: conversation, kind, chatId, title, folder, createdAt } of found) {
        const isOfIt = (turn: FullTurn): boolean => turn.conversationId === conversation;
        yield line({
          type: kind,
          id: chatId ?? conversation,
          ...(kind === 'chat' && { title, chat_folder: folder }),
          created_at: createdAt,
          messages: turns.filter(isOfIt).map(toChatMessageDto),
          replaced_messages: replaced.filter(isOfIt).map(toChatMessageDto),
        });
      }
      last = ids.at(-1) ?? last;
      isFull = found.length === BATCH;
    }
  }
}

function line(value: object): string {
  return `${printJson(value)}\n`;
}
