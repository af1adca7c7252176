import { LecternError, type LecternClient, type QueryRequest, type Rating } from '../api/lectern.js';
import { onReached } from '../app/reached.js';
import type { ChatOwner } from '../chats/owner.js';
import { NO_ANSWER } from './answer.js';
import { readAnswer } from './answer-stream.js';
import { ConversationStore, type ConversationState, type StateListener } from './conversation-store.js';
import { StoredChat } from './stored-chat.js';
import { exchangeOf, lostBefore, turnsOf, withEnding, type OpenExchange } from './turn.js';

/** The parts of the session that a conversation needs. */
export interface ConversationHome {
  readonly client: LecternClient;
  readonly kept: Map<string, unknown>;
  readonly ended: AbortSignal;
  /** Called when the service refuses the key. */
  readonly refused: () => void;
  /** Whether the reader may read chats of other people. */
  readonly readsOthers: boolean;
}

export interface Question {
  readonly text: string;
  readonly request: QueryRequest;
  /** Index of the first turn to replace; unset: the question is appended. */
  readonly at?: number | undefined;
  /** Whether a language model is configured. If it fails, passages are quoted instead of an answer. */
  readonly hasModel: boolean;
  readonly onStored: () => void;
}

/** The place of a question among the stored turns. */
interface Place {
  readonly at: number;
  /** Whether the question replaces the turns from this place on. */
  readonly isReplacing: boolean;
}

/**
 * `whole`: the answer is complete; `early`: the answer ended early; `none`: the service refused the question, or the
 * reader stopped the answer before its first word, so the conversation does not contain the question.
 */
type Outcome = 'whole' | 'early' | 'none';

/**
 * A chat: its stored turns, and the question that is being answered. The conversation belongs to the session, not to a
 * view: an answer continues while another view is shown, and an exchange that the service may not have stored survives
 * a reload.
 */
export class Conversation {
  private readonly store: ConversationStore;
  private readonly stored: StoredChat;
  private abort: AbortController | null = null;
  /** Resolves when it is known whether the service has stored the last answer that ended early. */
  private settling: Promise<void> = Promise.resolve();
  private loading: Promise<void> = Promise.resolve();
  private isDiscarded = false;

  /** @param onWriting called when an answer begins or ends */
  constructor(
    readonly id: string,
    owner: ChatOwner,
    /** Whether the service does not have the chat yet. */
    private isNew: boolean,
    private readonly home: ConversationHome,
    onWriting: () => void,
  ) {
    this.store = new ConversationStore(id, owner, home.kept, onWriting);
    this.stored = new StoredChat(home.client, id, owner, home.readsOthers);
    const leave = onReached(() => {
      const { error } = this.state;
      if (error instanceof LecternError && error.status === 0) this.store.update({ error: null });
    });
    home.ended.addEventListener('abort', () => {
      leave();
      this.abort?.abort();
    });
  }

  get state(): ConversationState {
    return this.store.state;
  }

  isWriting(): boolean {
    return this.store.isWriting();
  }

  /** Calls the listener now and after each change of the state. @returns a function that removes the listener */
  follow(listener: StateListener): () => void {
    return this.store.follow(listener);
  }

  /** Reads the stored turns, unless an answer is being written. */
  async load(): Promise<void> {
    if (this.isWriting() || this.state.isLoading || (this.isNew && this.state.open === null)) return;
    this.store.update({ isLoading: true, loadError: null });
    this.loading = this.read();
    await this.loading;
  }

  private async read(): Promise<void> {
    const { open } = this.state;
    try {
      if (open !== null) {
        const settled = this.settle(open);
        this.settling = settled.catch(() => undefined);
        await settled;
      }
      // If the first question is still open, the service has no turns to read.
      if (this.state.open?.at !== 0) {
        const { stored, isForeign } = await this.stored.read();
        this.store.update({ turns: turnsOf(stored, this.state.turns), isForeign, isGone: false });
      }
    } catch (error) {
      if (!(error instanceof LecternError)) throw error;
      if (error.status === 401) this.home.refused();
      else if (error.status === 404) this.store.update({ turns: [], lost: [], open: null, isGone: true });
      else this.store.update({ loadError: error });
    } finally {
      this.store.update({ isLoading: false });
    }
  }

  /** Waits until the reads in progress have shown the stored turns. */
  private async whenKnown(): Promise<void> {
    await Promise.all([this.loading, this.settling]);
  }

  async ask(question: Question): Promise<Outcome> {
    if (this.isWriting()) return 'none';
    this.abort = new AbortController();
    const { signal } = this.abort;
    const place = await this.begin(question);
    if (place === null) return 'none';
    const { at, isReplacing } = place;
    const request = {
      ...question.request,
      chat_id: this.id,
      inline_citations: true,
      stream_sources: true,
      ...(isReplacing ? { replace_from: at } : {}),
    };
    try {
      const answer = await readAnswer(this.home.client, request, {
        hasModel: question.hasModel,
        signal,
        onPart: (part) => {
          const { open } = this.state;
          if (open !== null) this.store.receive({ ...open, answer: part });
        },
      });
      this.isNew = false;
      this.store.update({
        turns: [...this.state.turns.slice(0, at), ...exchangeOf(question.text, answer)],
        open: null,
      });
      question.onStored();
      return 'whole';
    } catch (error) {
      return this.endEarly(signal.aborted ? null : error, question.onStored);
    }
  }

  /**
   * Shows a question, and waits until it is known which turns the service has stored.
   * @returns null if the chat cannot be continued
   */
  private async begin({ text: question, at: wanted }: Question): Promise<Place | null> {
    const { open: before } = this.state;
    const open = { question, answer: NO_ANSWER, ending: null };
    this.store.update({
      open: { ...open, at: wanted ?? before?.at ?? this.state.turns.length },
      error: null,
    });
    const { length: shown } = this.state.turns;
    await this.whenKnown();
    const { turns, lost, isForeign, isGone } = this.state;
    if (isForeign || isGone) {
      this.store.update({ open: null });
      return null;
    }
    const at = wanted ?? turns.length;
    const isBeforeLost = wanted === undefined && turns.length === shown;
    this.store.update({ lost: lostBefore(at, lost, isBeforeLost ? before : null), open: { ...open, at } });
    const isReplacing =
      wanted !== undefined && (before === null || (await this.stored.hasExchange(at).catch(() => true)));
    return { at, isReplacing };
  }

  stop(): void {
    this.abort?.abort();
  }

  /** Stops the answer of a deleted chat and ignores its result. */
  discard(): void {
    this.isDiscarded = true;
    this.stop();
  }

  /**
   * Shows a rating that the service has stored. First waits for running reads of the chat, which may return the earlier
   * rating.
   */
  async rate(index: number, feedback: Rating | null): Promise<void> {
    await this.whenKnown();
    const turns = this.state.turns.map((turn, place) => (place === index ? { ...turn, feedback } : turn));
    this.store.update({ turns });
  }

  /** Ends an answer early. @param error null: the reader stopped the answer */
  private endEarly(error: unknown, onStored: () => void): Outcome {
    const { open } = this.state;
    if (open === null || this.isDiscarded || this.home.ended.aborted) return 'none';
    const isEmpty = open.answer.text === '';
    const status = error instanceof LecternError ? error.status : null;
    if (status === 401) this.home.refused();
    const isRefused = status !== null && status >= 400 && status < 500 && status !== 429;
    if (isEmpty && (error === null || isRefused)) {
      this.store.update({ open: null, error });
      return 'none';
    }
    const ended: OpenExchange = { ...open, ending: error === null ? 'stopped' : 'broken' };
    // If the connection was lost after the first word, the notice at the end of the text is enough.
    this.store.update({ open: ended, error: status === 0 && !isEmpty ? null : error });
    if (isEmpty) return 'early';
    this.settling = this.settle(ended)
      .then(onStored)
      .catch(() => undefined); // if this fails, the answer stays as received
    return 'early';
  }

  /**
   * Waits until the service has stored the exchange, and then shows the stored turns. Leaves the exchange open if the
   * service does not store it in time.
   */
  private async settle(exchange: OpenExchange): Promise<void> {
    const { question, at, ending } = exchange;
    const stored = await this.stored.readWhenStored(question, at);
    if (stored === null) return;
    this.isNew = false;
    const turns = turnsOf(stored, this.state.turns);
    this.store.update({
      turns: ending === null ? turns : withEnding(turns, ending),
      ...(this.state.open === exchange ? { open: null } : {}),
    });
  }
}
