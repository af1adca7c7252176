import { keyOf, isOwn, type ChatOwner } from '../chats/owner.js';
import type { LostExchange, OpenExchange, Turn } from './turn.js';

export interface ConversationState {
  /** Turns that the service has stored. */
  readonly turns: readonly Turn[];
  /** Interrupted exchanges that the service has not stored and that are followed by a later question. */
  readonly lost: readonly LostExchange[];
  readonly open: OpenExchange | null;
  /** Error of the last question. */
  readonly error: unknown;
  /** Whether the last question was refused because the chat was continued elsewhere. */
  readonly isStale: boolean;
  /** Whether another page or device has written the latest turns. */
  readonly isQuiet: boolean;
  readonly isLoading: boolean;
  readonly loadError: unknown;
  readonly isGone: boolean;
  /** Whether the chat belongs to another person. The reader can read such a chat but not continue it. */
  readonly isForeign: boolean;
}

/** The part of the state that survives a reload. */
type Kept = Pick<ConversationState, 'turns' | 'lost' | 'open'>;

export type StateListener = (state: ConversationState) => void;

/**
 * The state of a conversation. Notifies listeners of changes, and saves the part of the state that survives a reload.
 */
export class ConversationStore {
  state: ConversationState;
  private readonly listeners = new Set<StateListener>();
  private readonly keptAs: string;
  private frame = 0;

  constructor(
    id: string,
    owner: ChatOwner,
    private readonly kept: Map<string, unknown>,
    /** Called when an answer begins or ends. */
    private readonly onWriting: () => void,
  ) {
    this.keptAs = `chat ${keyOf(id, owner)}`;
    const { turns = [], lost = [], open = null } = (kept.get(this.keptAs) as Kept | undefined) ?? {};
    this.state = {
      turns,
      lost,
      open, // an answer that was being written when the page was left may go on
      error: null,
      isStale: false,
      isQuiet: false,
      isLoading: false,
      loadError: null,
      isGone: false,
      isForeign: !isOwn(owner),
    };
  }

  isWriting(): boolean {
    return this.state.open !== null && this.state.open.ending === null;
  }

  /** Calls the listener now and after each change of the state. @returns a function that removes the listener */
  follow(listener: StateListener): () => void {
    this.listeners.add(listener);
    listener(this.state);
    return () => {
      this.listeners.delete(listener);
    };
  }

  update(change: Partial<ConversationState>): void {
    const wasWriting = this.isWriting();
    this.state = { ...this.state, ...change };
    this.keep();
    this.tell();
    if (wasWriting !== this.isWriting()) this.onWriting();
  }

  /** Shows an open exchange at most once per frame, because the whole text is parsed as Markdown each time. */
  receive(open: OpenExchange): void {
    this.state = { ...this.state, open };
    this.keep();
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => {
      this.tell();
    });
  }

  private keep(): void {
    const { turns, lost, open } = this.state;
    this.kept.set(this.keptAs, { turns, lost, open } satisfies Kept);
  }

  private tell(): void {
    for (const listener of this.listeners) listener(this.state);
  }
}
