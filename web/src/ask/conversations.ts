import { keyOf, type ChatOwner } from '../chats/owner.js';
import { Conversation, type ConversationHome } from './conversation.js';

/** The conversations of a session. */
export class Conversations {
  private readonly all = new Map<string, Conversation>();
  private readonly listeners = new Set<() => void>();

  constructor(private readonly home: ConversationHome) {}

  /** @param isNew whether the service does not have it yet */
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

  /** Those whose answer is being written. */
  writing(): Conversation[] {
    return [...this.all.values()].filter((one) => one.isWriting());
  }

  /** Ends the answer of a deleted chat, which the service would store in a new one, and forgets what is kept. */
  forget(id: string, owner: ChatOwner): void {
    const key = keyOf(id, owner);
    this.all.get(key)?.discard();
    this.all.delete(key);
    this.home.kept.delete(`chat ${key}`);
  }

  /** @returns a function that ends it */
  follow(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }
}
