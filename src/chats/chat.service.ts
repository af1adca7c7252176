import { Injectable } from '@nestjs/common';
import type { Scope } from '../auth/scope.js';
import { Conflict, NotFound } from '../errors/index.js';
import { type ChatChoice, ChatRepository, type ChatSummary, type FullTurn } from './chat.repository.js';

/** Reads, renames and deletes chats. Answering appends to them. */
@Injectable()
export class ChatService {
  constructor(private readonly chats: ChatRepository) {}

  list(scope: Scope, choice: ChatChoice, limit: number): Promise<ChatSummary[]> {
    return this.chats.list(scope, choice, limit);
  }

  async turns(scope: Scope, chatId: string, choice: ChatChoice): Promise<FullTurn[]> {
    return this.chats.turns(scope, await this.keyOf(scope, chatId, choice));
  }

  async rename(scope: Scope, chatId: string, choice: ChatChoice, title: string): Promise<void> {
    await this.chats.rename(scope, await this.keyOf(scope, chatId, choice), title);
  }

  async delete(scope: Scope, chatId: string, choice: ChatChoice): Promise<void> {
    await this.chats.delete(scope, await this.keyOf(scope, chatId, choice));
  }

  /**
   * Returns the internal key of the chat with this id that the caller may read. A request of an administrator without
   * an end user selects the chat of the administrators with this id, or else the only chat with this id.
   * @throws NotFound; Conflict if several end users or applications have a chat with this id.
   */
  async keyOf(scope: Scope, chatId: string, choice: ChatChoice): Promise<string> {
    const [first, second] = await this.chats.find(scope, chatId, choice);
    if (first === undefined) throw new NotFound('Chat not found');
    if (second !== undefined && (first.endUserId ?? first.keyId) !== null) {
      throw new Conflict('Several end users or keys have a chat with this id: select one with end_user_id');
    }
    return first.chatKey;
  }
}
