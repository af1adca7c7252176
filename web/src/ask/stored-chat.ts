import { LecternError, type Chat, type ChatTurn, type LecternClient } from '../api/lectern.js';
import { isOwn, type ChatOwner } from '../chats/owner.js';

/**
 * Maximum number of attempts to read an interrupted answer from the service. The service stores the answer when it
 * notices that the connection has ended.
 */
const TRIES = 25;
const TRY_EVERY_MS = 200;

export interface StoredTurns {
  readonly stored: readonly ChatTurn[];
  /** Whether the chat belongs to another person. */
  readonly isForeign: boolean;
  /** Revision of the chat, not newer than the turns; null: of a chat of another person. */
  readonly revision: number | null;
}

/** A chat as the service has stored it. */
export class StoredChat {
  constructor(
    private readonly client: LecternClient,
    private readonly id: string,
    private readonly owner: ChatOwner,
    private readonly readsOthers: boolean,
  ) {}

  /**
   * Reads the turns. If the reader has no chat with this id, reads the chat of another person, if the reader may.
   * @throws LecternError 404 if the service does not have the chat
   */
  async read(): Promise<StoredTurns> {
    const { client, id, owner } = this;
    try {
      const revision = isOwn(owner) ? await this.revision() : null;
      return { stored: await client.chats.messages(id, owner), isForeign: !isOwn(owner), revision };
    } catch (error) {
      const isMissing = error instanceof LecternError && error.status === 404;
      if (!isOwn(owner) || !isMissing || !this.readsOthers) throw error;
      return { stored: await client.chats.messages(id, { own: false }), isForeign: true, revision: null };
    }
  }

  /** Returns the revision of the reader's chat; 0 if the service does not have it. */
  async revision(): Promise<number> {
    return (await this.summary())?.revision ?? 0;
  }

  /** Whether the service has stored the exchange at an index. */
  async hasExchange(at: number): Promise<boolean> {
    return ((await this.summary())?.message_count ?? 0) >= at + 2;
  }

  private async summary(): Promise<Chat | undefined> {
    const [chat] = await this.client.chats.list({ own: true, chat_id: this.id });
    return chat;
  }

  /**
   * Waits until the service has stored the last exchange, whole or stopped, and reads the turns.
   * @param at index of the question
   * @param known revision before the exchange; null: not known
   * @returns null if the service does not store the exchange in time
   */
  async readWhenStored(question: string, at: number, known: number | null): Promise<StoredTurns | null> {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const chat = await this.summary();
      if (chat?.message_count === at + 2 && chat.revision !== known) {
        const stored = await this.client.chats.messages(this.id, this.owner);
        const isThere = stored[at]?.content === question && stored[at + 1] !== undefined;
        if (isThere) return { stored, isForeign: false, revision: chat.revision };
      }
      await new Promise((resolve) => setTimeout(resolve, TRY_EVERY_MS));
    }
    return null;
  }
}
