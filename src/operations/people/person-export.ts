import { Injectable } from '@nestjs/common';
import sql from 'sql-template-tag';
import { DataSource } from 'typeorm';
import type { AccessLists } from '../../access/access-lists.js';
import { userPrincipal } from '../../access/principal.js';
import { requireFullReach, type Scope, shardsOf } from '../../auth/scope.js';
import { toChatMessageDto } from '../../chats/chat.dto.js';
import { ChatRepository, type FullTurn } from '../../chats/chat.repository.js';
import { DocumentTextRepository } from '../../corpus/document-text.repository.js';
import type { FolderClaim } from '../../corpus/folder.entity.js';
import { prefixedId, STORE_PREFIXES } from '../../corpus/vector-stores/store-ids.js';
import { run } from '../../database/run.js';
import { isMadeAsStore } from '../../filters/store-folders.js';
import { printJson } from '../../json/exact-json.js';
import { toPersonDto } from './people.dto.js';
import { TenantPeopleService } from './tenant-people.service.js';

/** Documents or conversations that are read together. */
const BATCH = 10;

/** Files or folders that are read together. */
const ROWS = 100;

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

interface OwnedFile {
  readonly id: string;
  readonly filename: string;
  readonly purpose: string;
  readonly contentType: string;
  readonly bytes: number;
  readonly sha256: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
}

interface OwnedFolder {
  readonly id: string;
  readonly path: string;
  /** Whether the folder is the person's; if not, the person claims it. */
  readonly isOwn: boolean;
  readonly claim: FolderClaim | null;
  readonly description: string | null;
  readonly summary: string | null;
  readonly access: AccessLists | null;
  readonly createdAt: Date;
  /** Of a vector store. */
  readonly name: string | null;
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly storeDescription: string | null;
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
   * Yields JSON lines: the person, their documents with the text, their uploaded files, folders and vector stores, and what
   * they asked, with the answers.
   * @throws NotFound for somebody who never had a key; Forbidden if the caller does not read everything
   */
  async *lines(scope: Scope, id: string): AsyncGenerator<string> {
    requireFullReach(scope);
    const { person, owned } = await this.people.find(scope, id);
    yield line({ type: 'person', person: toPersonDto(person, owned) });
    for (const shard of shardsOf(scope)) yield* this.documents(shard, id);
    yield* this.files(scope, id);
    yield* this.folders(scope, id);
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

  private async *files(scope: Scope, id: string): AsyncGenerator<string> {
    for (let last = FIRST, isFull = true; isFull;) {
      const files = await run<OwnedFile>(
        this.dataSource,
        sql`select f.file_id as id, f.filename, f.purpose, f.content_type as "contentType", f.bytes::float8 as bytes, f.sha256,
              f.created_at as "createdAt", f.expires_at as "expiresAt"
            from files f where f.app_id = ${scope.appId} and f.end_user_id = ${id} and f.file_id > ${last}::uuid
            order by f.file_id limit ${ROWS}`,
      );
      for (const { id: file, contentType, createdAt, expiresAt, ...shown } of files) {
        yield line({
          type: 'file',
          id: prefixedId(STORE_PREFIXES.file, file),
          ...shown,
          content_type: contentType,
          created_at: createdAt,
          expires_at: expiresAt,
        });
      }
      last = files.at(-1)?.id ?? last;
      isFull = files.length === ROWS;
    }
  }

  /** Yields the folders that the person made. Of a folder that others had made before: what the person sees of it. */
  private async *folders(scope: Scope, id: string): AsyncGenerator<string> {
    for (let last = '', isFull = true; isFull;) {
      const folders = await run<OwnedFolder>(
        this.dataSource,
        sql`select f.folder_id as id, f.path, f.end_user_id is not distinct from ${id} as "isOwn", f.description,
              f.claims -> ${id}::text as claim, f.access, f.created_at as "createdAt", v.name, v.metadata,
              v.description as "storeDescription",
              (select s.content from folder_summaries s
                where s.app_id = ${scope.appId} and s.subject_id = f.folder_id order by s.version desc limit 1) as summary
            from folders f left join vector_stores v on v.app_id = ${scope.appId} and v.folder_id = f.folder_id
            where f.app_id = ${scope.appId} and (f.end_user_id = ${id} or jsonb_exists(f.claims, ${id}::text))
              and f.path > ${last} order by f.path limit ${ROWS}`,
      );
      for (const folder of folders) yield line(shownFolder(folder));
      last = folders.at(-1)?.path ?? last;
      isFull = folders.length === ROWS;
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

function shownFolder({ id, path, isOwn, claim, createdAt, ...folder }: OwnedFolder): object {
  if (!isOwn) return { type: 'folder', id, path, description: claim?.description, created_at: claim?.at };
  const { description, storeDescription, summary, access, name, metadata } = folder;
  if (!isMadeAsStore({ path })) {
    return { type: 'folder', id, path, description, summary, access_control: access, created_at: createdAt };
  }
  return {
    type: 'vector_store',
    id: prefixedId(STORE_PREFIXES.store, id),
    name,
    description: storeDescription,
    metadata,
    summary,
    access_control: access,
    created_at: createdAt,
  };
}

function line(value: object): string {
  return `${printJson(value)}\n`;
}
