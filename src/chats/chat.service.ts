import { Injectable } from '@nestjs/common';
import type { TalkChoice } from '../access/talk.js';
import { touches } from '../access/touches.js';
import type { Scope } from '../auth/scope.js';
import { Conflict, NotFound } from '../errors/index.js';
import { ChatListRepository, type ChatSelection, type ChatSummary } from './chat-list.repository.js';
import { ChatRepository, type ChatChange, type ReplacedTurn, type ShownTurn } from './chat.repository.js';

/** Messages of the errors of each route about one chat, by status. */
export const OF_ONE_CHAT = {
  404: 'Chat not found',
  409: 'Several end users or keys have a chat with this id: select one with end_user_id',
} as const;

/** Reads, changes and deletes chats. Answering appends to them. */
@Injectable()
export class ChatService {
  constructor(
    private readonly chats: ChatRepository,
    private readonly lists: ChatListRepository,
  ) {}

  list(scope: Scope, selection: ChatSelection): Promise<ChatSummary[]> {
    return this.lists.list(scope, selection);
  }

  async turns(scope: Scope, chatId: string, choice: TalkChoice): Promise<ShownTurn[]> {
    return this.chats.turns(scope, [await this.idOf(scope, chatId, choice)], choice.endUserId);
  }

  /** Returns what retries and edits replaced, oldest first: for each replacement the turns that it replaced. */
  async versions(scope: Scope, chatId: string, choice: TalkChoice): Promise<ReplacedTurn[][]> {
    const id = await this.idOf(scope, chatId, choice);
    const turns = await this.chats.replacedTurns(scope, [id], choice.endUserId);
    const byVersion = new Map<number, ReplacedTurn[]>();
    for (const turn of turns) byVersion.set(turn.version, [...(byVersion.get(turn.version) ?? []), turn]);
    return [...byVersion.values()];
  }

  async change(scope: Scope, chatId: string, choice: TalkChoice, change: ChatChange): Promise<void> {
    await this.chats.change(scope, await this.idOf(scope, chatId, choice), change);
  }

  async delete(scope: Scope, chatId: string, choice: TalkChoice): Promise<void> {
    await this.chats.delete(scope, await this.idOf(scope, chatId, choice));
  }

  /**
   * Returns the internal id of the chat with this id that the caller may read. A request of an administrator without
   * an end user selects the chat of the administrators with this id, or else the only chat with this id.
   * @throws NotFound; Conflict if several end users or applications have a chat with this id.
   */
  async idOf(scope: Scope, chatId: string, choice: TalkChoice): Promise<string> {
    const [first, second] = await this.chats.find(scope, chatId, choice);
    if (first === undefined) throw new NotFound(OF_ONE_CHAT[404]);
    if (second !== undefined && first.owner !== null) {
      throw new Conflict(OF_ONE_CHAT[409]);
    }
    touches(scope, 'talk', chatId, first);
    return first.conversationId;
  }
}
