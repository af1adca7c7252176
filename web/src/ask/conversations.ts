import { keyOf, type ChatOwner } from '../chats/owner.js';
import { Conversation, type ConversationHome } from './conversation.js';

export class Conversations {
  private readonly all = new Map<string, Conversation>();
  private readonly listeners = new Set<() => void>();

  constructor(private readonly home: ConversationHome) {}

  /**
   * Returns the conversation of a chat. The first call for a chat creates the conversation.
   * @param isNew whether the service does not have the chat yet
   */
  of(id: string, owner: ChatOwner, isNew: boolean): Conversation {
    const key = keyOf(id, owner);
    const known = this.all.get(key);
    if (known !== undefined) return known;
    const made = new Conversation(id, owner, isNew, this.home, () => {
      for (const listener of this.listeners) listener();
    });
    this.all.set(key, made);
    return made;
  }

  /** Conversations with an answer that is being written. */
  writing(): Conversation[] {
    return [...this.all.values()].filter((one) => one.isWriting());
  }

  /**
   * Aborts the answer of a deleted chat, because the service would store the answer in a new chat. Also removes the
   * kept state of the chat.
   */
  forget(id: string, owner: ChatOwner): void {
    const key = keyOf(id, owner);
    this.all.get(key)?.discard();
    this.all.delete(key);
    this.home.kept.delete(`chat ${key}`);
  }

  /** Calls the listener when an answer begins or ends. @returns a function that removes the listener */
  follow(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }
}
