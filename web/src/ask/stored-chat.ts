import { LecternError, type ChatTurn, type LecternClient } from '../api/lectern.js';
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
      return { stored: await client.chats.messages(id, owner), isForeign: !isOwn(owner) };
    } catch (error) {
      const isMissing = error instanceof LecternError && error.status === 404;
      if (!isOwn(owner) || !isMissing || !this.readsOthers) throw error;
      return { stored: await client.chats.messages(id, { own: false }), isForeign: true };
    }
  }

  /** Whether the service has stored the exchange at an index, and the chat has at most `atMost` turns. */
  async hasExchange(at: number, atMost = Infinity): Promise<boolean> {
    const listed = await this.client.chats.list({ own: true });
    return listed.some(
      ({ chat_id: id, message_count: count }) => id === this.id && count >= at + 2 && count <= atMost,
    );
  }

  /**
   * Waits until the service has stored the last exchange, whole or stopped, and reads the turns.
   * @param at index of the question
   * @returns null if the service does not store the exchange in time
   */
  async readWhenStored(question: string, at: number): Promise<readonly ChatTurn[] | null> {
    for (let tries = 0; tries < TRIES; tries += 1) {
      if (await this.hasExchange(at, at + 2)) {
        const { stored } = await this.read();
        if (stored[at]?.content === question && stored[at + 1] !== undefined) return stored;
      }
      await new Promise((resolve) => setTimeout(resolve, TRY_EVERY_MS));
    }
    return null;
  }
}
