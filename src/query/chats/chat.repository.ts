import sql from 'sql-template-tag';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type FindOptionsWhere, IsNull, type Repository } from 'typeorm';
import { endUserOf, type Scope } from '../../auth/scope.js';
import { run } from '../../database/run.js';
import { ChatEntity, ChatTurnEntity, type TurnEvidence } from './chat.entity.js';

/** Identifies a chat; the scope adds its owner, see {@link ownerOf}. */
export interface ChatIdentity {
  readonly chatId: string;
  /** null: the request names no end user. */
  readonly endUserId: string | null;
}

type ChatOwner = Pick<ChatEntity, 'endUserId' | 'keyId'>;

/**
 * Returns the owner of the chats that a request begins and continues: the end user of the key, the end user that the
 * request names, the administrators, or the key.
 */
function ownerOf(scope: Scope, named: string | null): ChatOwner {
  const endUserId = endUserOf(scope, named);
  const isShared = endUserId !== null || scope.permissions.has('admin');
  return { endUserId, keyId: isShared ? null : scope.keyId };
}

/** Restricts chats to those that a request may read: its own; for administrators who name no end user, all. */
function readable(scope: Scope, named: string | null): FindOptionsWhere<ChatEntity> {
  const { endUserId, keyId } = ownerOf(scope, named);
  if (endUserId !== null) return { appId: scope.appId, endUserId };
  return keyId === null ? { appId: scope.appId } : { appId: scope.appId, endUserId: IsNull(), keyId };
}

export type ChatTurn = Pick<ChatTurnEntity, 'role' | 'content' | 'createdAt'>;

/** A turn with what it rests on. */
export type FullTurn = ChatTurn & Pick<ChatTurnEntity, 'evidence'>;

export type ChatSummary = Omit<ChatEntity, 'appId' | 'chatKey'>;

/** A question and its answer, stored together. */
interface Exchange {
  readonly question: string;
  readonly answer: string;
  readonly evidence?: TurnEvidence;
}

@Injectable()
export class ChatRepository {
  constructor(
    @InjectRepository(ChatEntity) private readonly chats: Repository<ChatEntity>,
    @InjectRepository(ChatTurnEntity) private readonly chatTurns: Repository<ChatTurnEntity>,
  ) {}

  /**
   * Appends both turns of an exchange in one statement. Concurrent exchanges of a chat wait for its row lock, so that
   * each gets two positions.
   */
  async append(scope: Scope, { chatId, endUserId }: ChatIdentity, exchange: Exchange): Promise<void> {
    const question = storable(exchange.question);
    const evidence = exchange.evidence === undefined ? null : storableJson(exchange.evidence);
    const owner = ownerOf(scope, endUserId);
    await run(
      this.chats.manager,
      sql`with chat as (
            insert into chats (app_id, chat_id, end_user_id, key_id, title, turn_count, updated_at)
            values (${scope.appId}, ${chatId}, ${owner.endUserId}, ${owner.keyId}, ${titleOf(question)}, 2,
              clock_timestamp())
            on conflict (app_id, chat_id, (end_user_id is null), (coalesce(end_user_id, '')), (coalesce(key_id, '')))
            do update set turn_count = chats.turn_count + 2, updated_at = excluded.updated_at
            returning chat_key, turn_count
          )
          insert into chat_turns (app_id, chat_key, position, role, content, evidence)
          select ${scope.appId}, chat_key, turn_count - 2 + place, role, content, evidence
          from chat, (values (0, 'user', ${question}, null), (1, 'assistant', ${storable(exchange.answer)},
            ${evidence}::jsonb)) as turn(place, role, content, evidence)`,
    );
  }

  /** The last turns of a chat, oldest first; empty for an unknown chat. */
  async lastTurns(scope: Scope, { chatId, endUserId }: ChatIdentity, limit: number): Promise<ChatTurn[]> {
    const owner = ownerOf(scope, endUserId);
    const turns = await this.chatTurns
      .createQueryBuilder('turn')
      .innerJoin(ChatEntity, 'chat', 'chat.appId = turn.appId and chat.chatKey = turn.chatKey')
      .where('chat.appId = :appId and chat.chatId = :chatId', { appId: scope.appId, chatId })
      .andWhere('chat.endUserId is not distinct from :endUserId', owner)
      .andWhere('chat.keyId is not distinct from :keyId', owner)
      .orderBy('turn.position', 'DESC')
      .limit(limit)
      .getMany();
    return turns.reverse();
  }

  /** The readable chats, newest first. */
  async list(scope: Scope, endUserId: string | null, limit: number): Promise<ChatSummary[]> {
    return this.chats
      .createQueryBuilder('chat')
      .innerJoinAndMapOne(
        'chat.lastTurn',
        ChatTurnEntity,
        'turn',
        'turn.appId = chat.appId and turn.chatKey = chat.chatKey and turn.position = chat.turnCount - 1',
      )
      .where(readable(scope, endUserId))
      .orderBy('chat.updatedAt', 'DESC')
      .addOrderBy('chat.chatKey')
      .limit(limit)
      .getMany();
  }

  /** The readable chats of an id, at most two; the administrators' own first. */
  async find(scope: Scope, chatId: string, endUserId: string | null): Promise<ChatEntity[]> {
    return this.chats.find({
      where: { ...readable(scope, endUserId), chatId },
      order: {
        endUserId: { direction: 'ASC', nulls: 'FIRST' },
        keyId: { direction: 'ASC', nulls: 'FIRST' },
      },
      take: 2,
    });
  }

  async turns({ appId }: Scope, chatKey: string): Promise<FullTurn[]> {
    return this.chatTurns.find({
      select: { role: true, content: true, createdAt: true, evidence: true },
      where: { appId, chatKey },
      order: { position: 'ASC' },
    });
  }

  async rename({ appId }: Scope, chatKey: string, title: string): Promise<void> {
    await this.chats.update({ appId, chatKey }, { title });
  }

  async delete({ appId }: Scope, chatKey: string): Promise<void> {
    await this.chats.delete({ appId, chatKey });
  }
}

/** PostgreSQL cannot store U+0000, which models sometimes write. */
function storable(text: string): string {
  return text.replaceAll('\0', '');
}

function storableJson(value: object): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'string' ? storable(member).toWellFormed() : member,
  );
}

const MAX_LENGTH = 80;

const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Title of a new chat: its first question on one line, truncated to 80 characters. It changes only by renaming. */
export function titleOf(question: string): string {
  const line = question
    .slice(0, MAX_LENGTH * 20)
    .replace(/\s+/g, ' ')
    .trim();
  const shown = Array.from(characters.segment(line), ({ segment }) => segment);
  return shown.length <= MAX_LENGTH
    ? line
    : `${shown
        .slice(0, MAX_LENGTH - 1)
        .join('')
        .trimEnd()}…`;
}
