import { keyOf, OWN, type ChatOwner } from '../chats/owner.js';
import { Conversation, type ConversationHome } from './conversation.js';
import { OtherTabs } from './other-tabs.js';

export class Conversations {
  private readonly all = new Map<string, Conversation>();
  private readonly listeners = new Set<() => void>();
  private readonly changeListeners = new Set<() => void>();
  private readonly tabs: OtherTabs;

  constructor(private readonly home: ConversationHome) {
    this.tabs = new OtherTabs(home.ended, (id) => {
      for (const one of this.all.values()) if (one.id === id) void one.loadQuietly();
      this.tellOfChange();
    });
  }

  /**
   * Returns the conversation of a chat. The first call for a chat creates the conversation.
   * @param isNew whether the service does not have the chat yet
   */
  of(id: string, owner: ChatOwner, isNew: boolean): Conversation {
    const key = keyOf(id, owner);
    const known = this.all.get(key);
    if (known !== undefined) return known;
    const made = new Conversation(id, owner, isNew, this.home, {
      writing: () => {
        for (const listener of this.listeners) listener();
      },
      changed: (isHere) => {
        if (isHere) this.tabs.tell(id);
        this.tellOfChange();
      },
    });
    this.all.set(key, made);
    return made;
  }

  /** Conversations with an answer that is being written. */
  writing(): Conversation[] {
    return [...this.all.values()].filter((one) => one.isWriting());
  }

  /** Follows the answers that the service is writing, for example because the page was closed. @throws LecternError */
  async resume(): Promise<void> {
    for (const { chat_id: id } of await this.home.client.answers.running({ signal: this.home.ended })) {
      if (id !== null) void this.of(id, OWN, false).load();
    }
  }

  /** Tells the list of chats and the other tabs that the service has something new of a chat. */
  changed(id: string): void {
    this.tabs.tell(id);
    this.tellOfChange();
  }

  /**
   * Stops the answer of a chat that is deleted, because the service would store the answer in a new chat. Also removes the
   * kept state of the chat. Resolves when the chat may be deleted.
   */
  async forget(id: string, owner: ChatOwner): Promise<void> {
    const key = keyOf(id, owner);
    const known = this.all.get(key);
    this.all.delete(key);
    this.home.kept.delete(`chat ${key}`);
    await known?.discard();
  }

  /** Calls the listener when the service has something new of a chat. @returns a function that removes the listener */
  followChanges(listener: () => void): () => void {
    this.changeListeners.add(listener);
    return () => {
      this.changeListeners.delete(listener);
    };
  }

  /** Calls the listener when an answer begins or ends. @returns a function that removes the listener */
  follow(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }

  private tellOfChange(): void {
    for (const listener of this.changeListeners) listener();
  }
}
