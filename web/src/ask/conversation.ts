import {
  AnswerGone,
  AnswerStopped,
  LecternError,
  type LecternClient,
  type QueryRequest,
  type Rating,
  type RunningAnswer,
} from '../api/lectern.js';
import { onReached } from '../app/reached.js';
import { isOwn, type ChatOwner } from '../chats/owner.js';
import { NO_ANSWER, type Answer } from './answer.js';
import { followAnswer, readAnswer, type StreamReader } from './answer-stream.js';
import { ConversationStore, type ConversationState, type StateListener } from './conversation-store.js';
import { StoredChat } from './stored-chat.js';
import { exchangeOf, lostBefore, replacedFrom, turnsOf, withEnding, type OpenExchange } from './turn.js';

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

/** Whom a conversation tells of its changes. */
export interface ConversationEvents {
  /** An answer begins or ends. */
  readonly writing: () => void;
  /**
   * The service has another question or another answer of the chat.
   * @param isHere whether this page has asked, so that other tabs do not know it yet
   */
  readonly changed: (isHere: boolean) => void;
}

/** The text of an image as a question, which the service stores. */
const IMAGE = '[image]';

export interface Question {
  readonly text: string;
  readonly request: QueryRequest;
  /** Index of the first turn to replace; unset: the question is appended. */
  readonly at?: number | undefined;
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
 * view: an answer continues while another view is shown. It goes on at the service when the page is left, and every page
 * that shows the chat follows it. An exchange that the service may not have stored survives a reload.
 */
export class Conversation {
  private readonly store: ConversationStore;
  private readonly stored: StoredChat;
  private readonly isOwn: boolean;
  /** Ends the connection of the answer that is being read. */
  private abort: AbortController | null = null;
  /** Resolves when it is known whether the service has stored the last answer that ended early. */
  private settling: Promise<void> = Promise.resolve();
  private loading: Promise<void> = Promise.resolve();
  /** Resolves when the service has ended the answer that the reader stopped. */
  private stopping: Promise<void> = Promise.resolve();
  private isDiscarded = false;
  /** Revision of the stored chat that this page shows; null: not known. */
  private revision: number | null = null;

  constructor(
    readonly id: string,
    owner: ChatOwner,
    /** Whether the service does not have the chat yet. */
    private isNew: boolean,
    private readonly home: ConversationHome,
    private readonly events: ConversationEvents,
  ) {
    this.store = new ConversationStore(id, owner, home.kept, events.writing);
    this.stored = new StoredChat(home.client, id, owner, home.readsOthers);
    this.isOwn = isOwn(owner);
    if (isNew) this.revision = 0;
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

  /** Reads the stored turns, unless an answer is being read. Follows the answer that is being written. */
  async load(): Promise<void> {
    if (this.abort !== null || this.state.isLoading || (this.isNew && this.state.open === null)) return;
    this.store.update({ isLoading: true, loadError: null });
    this.loading = this.read();
    await this.loading;
  }

  /**
   * Reads the chat again if another page or device has continued it.
   * @returns whether it has
   */
  async look(): Promise<boolean> {
    const known = this.revision;
    if (this.isBusy() || this.isNew || known === null) return false;
    try {
      const isOld = (await this.writtenAnswer()) !== null || (await this.stored.revision()) !== known;
      if (!isOld || this.isBusy() || this.revision !== known) return false;
    } catch (error) {
      if (!(error instanceof LecternError)) throw error;
      if (error.status === 401) this.home.refused();
      return false;
    }
    await this.loadQuietly();
    this.events.changed(false);
    return true;
  }

  /** Like {@link load}, for what another page has written: the page does not scroll to it. */
  async loadQuietly(): Promise<void> {
    this.store.update({ isQuiet: true });
    await this.load();
  }

  private isBusy(): boolean {
    return this.abort !== null || this.state.isLoading || this.state.open !== null;
  }

  private async read(): Promise<void> {
    const { open } = this.state;
    try {
      await this.stopping;
      // First the answer: if it ends meanwhile, it is among the turns.
      const written = await this.writtenAnswer();
      if (written === null) await this.readStored(open);
      else await this.readBefore(written);
    } catch (error) {
      if (!(error instanceof LecternError)) throw error;
      if (error.status === 401) this.home.refused();
      else if (error.status === 404) this.store.update({ turns: [], lost: [], open: null, isGone: true });
      else
        this.store.update({ loadError: error, ...(this.abort === null ? { open: interrupted(open) } : {}) });
    } finally {
      this.store.update({ isLoading: false });
    }
  }

  /** The answer of this chat that the service is writing. */
  private async writtenAnswer(): Promise<RunningAnswer | null> {
    if (!this.isOwn) return null;
    return (await this.home.client.answers.running({ chat_id: this.id })).at(-1) ?? null;
  }

  /** @param open the exchange that was open before this read */
  private async readStored(open: OpenExchange | null): Promise<void> {
    const ended = interrupted(open);
    if (ended !== null) {
      if (this.state.open === open) this.store.update({ open: ended });
      const settled = this.settle(ended);
      this.settling = settled.catch(() => undefined);
      await settled;
    }
    // If the first question is still open, the service has no turns to read.
    if (this.state.open?.at === 0) return;
    const { stored, isForeign, revision } = await this.stored.read();
    this.revision = revision;
    this.store.update({ turns: turnsOf(stored, this.state.turns), isForeign, isGone: false });
  }

  /** Reads the turns before an answer that is being written, and follows it. */
  private async readBefore(written: RunningAnswer): Promise<void> {
    const isFirst = !(await this.stored.hasExchange(0));
    const { stored, revision } = isFirst ? { stored: [], revision: 0 } : await this.stored.read();
    this.revision = revision;
    const turns = turnsOf(stored, this.state.turns);
    this.store.update({ turns, isForeign: false, isGone: false });
    if (this.abort !== null) return; // the reader has asked meanwhile
    const { answer_id: answerId, query, replace_from: from } = written;
    const { open } = this.state;
    const answer = open?.answerId === answerId ? open.answer : NO_ANSWER;
    const question = query ?? open?.question ?? IMAGE;
    const at = from ?? turns.length;
    this.store.update({ open: { question, at, answer, ending: null, answerId }, error: null });
    void this.receive(question, at, { isHere: false, abort: new AbortController() }, (reader) =>
      followAnswer(this.home.client, answerId, reader),
    );
  }

  /** Waits until the reads in progress have shown the stored turns. */
  private async whenKnown(): Promise<void> {
    await Promise.all([this.loading, this.settling, this.stopping]);
  }

  async ask(question: Question): Promise<Outcome> {
    if (this.isWriting()) return 'none';
    const abort = new AbortController();
    this.abort = abort;
    let place: Place | null;
    try {
      place = await this.begin(question);
    } catch (error) {
      this.abort = null;
      return this.endEarly(abort.signal.aborted ? null : error, true);
    }
    if (place === null) {
      this.abort = null;
      return 'none';
    }
    const { at, isReplacing } = place;
    const request = {
      ...question.request,
      chat_id: this.id,
      ...(this.revision === null ? {} : { chat_revision: this.revision }),
      inline_citations: true,
      stream_sources: true,
      ...(isReplacing ? { replace_from: at } : {}),
    };
    return this.receive(question.text, at, { isHere: true, abort }, (reader) =>
      readAnswer(
        this.home.client,
        request,
        (answerId) => {
          this.change({ answerId });
        },
        reader,
      ),
    );
  }

  /** Shows an answer as it comes, and then as a turn. @param reading `isHere`: whether this page has asked */
  private async receive(
    question: string,
    at: number,
    { isHere, abort }: { readonly isHere: boolean; readonly abort: AbortController },
    read: (reader: StreamReader) => Promise<Answer>,
  ): Promise<Outcome> {
    this.abort = abort;
    let isFirst = true;
    try {
      abort.signal.throwIfAborted();
      const answer = await read({
        signal: abort.signal,
        onPart: (part) => {
          const { open } = this.state;
          if (open !== null) this.store.receive({ ...open, answer: part });
          if (isFirst) this.events.changed(isHere);
          isFirst = false;
        },
        onConnection: (isLost) => {
          if ((this.state.open?.isDisconnected ?? false) !== isLost) this.change({ isDisconnected: isLost });
        },
      });
      this.isNew = false;
      this.store.update({
        turns: replacedFrom(this.state.turns, at, exchangeOf(question, answer)),
        open: null,
      });
      this.revision = answer.end?.revision ?? null;
      this.events.changed(isHere);
      return 'whole';
    } catch (error) {
      return this.endEarly(abort.signal.aborted || error instanceof AnswerStopped ? null : error, isHere);
    } finally {
      this.abort = null;
    }
  }

  private change(change: Partial<OpenExchange>): void {
    const { open } = this.state;
    if (open !== null) this.store.update({ open: { ...open, ...change } });
  }

  /**
   * Shows a question, and waits until it is known which turns the service has stored.
   * @returns null if the chat cannot be continued
   * @throws LecternError if the service does not tell whether it has the question that is asked again
   */
  private async begin({ text: question, at: wanted }: Question): Promise<Place | null> {
    const { open: before } = this.state;
    const open = { question, answer: NO_ANSWER, ending: null, answerId: null };
    this.store.update({
      open: { ...open, at: wanted ?? before?.at ?? this.state.turns.length },
      error: null,
      isStale: false,
      isQuiet: false,
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
    const isReplacing = wanted !== undefined && (before === null || (await this.stored.hasExchange(at)));
    return { at, isReplacing };
  }

  /** Stops the answer, also at the service. */
  stop(): void {
    const { open } = this.state;
    if (this.abort === null || open === null) return;
    const { answerId, answer } = open;
    if (answerId !== null) this.stopping = this.stopAtService(answerId, answer !== NO_ANSWER);
    this.abort.abort();
  }

  private async stopAtService(answerId: string, hasBegun: boolean): Promise<void> {
    try {
      await this.home.client.answers.stop(answerId, { isOnItsWay: !hasBegun });
    } catch (error) {
      const status = error instanceof LecternError ? error.status : null;
      if (status === 401) this.home.refused();
      else if (status !== 404 || hasBegun) this.store.update({ error, open: unstopped(this.state.open) });
    }
  }

  /** Stops the answer of a chat that is deleted, so that the service does not store it afterwards. Ignores its result. */
  async discard(): Promise<void> {
    this.isDiscarded = true;
    this.stop();
    await this.stopping;
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

  /** Ends an answer early. @param error null: a reader stopped the answer */
  private endEarly(error: unknown, isHere: boolean): Outcome {
    const { open } = this.state;
    if (open === null || this.isDiscarded || this.home.ended.aborted) return 'none';
    const isEmpty = open.answer.text === '';
    const isGone = error instanceof AnswerGone;
    const status = error instanceof LecternError && !isGone ? error.status : null;
    if (status === 401) this.home.refused();
    const isRefused = status !== null && status >= 400 && status < 500 && status !== 429;
    if (isEmpty && (error === null || isRefused)) {
      this.store.update({ open: null, error });
      if (status === 409) void this.refresh(error);
      return 'none';
    }
    const ending = error === null ? 'stopped' : 'broken';
    const ended: OpenExchange = { ...open, ending, isDisconnected: false };
    // If the connection was lost after the first word, the notice at the end of the text is enough.
    this.store.update({ open: ended, error: (status === 0 && !isEmpty) || isGone ? null : error });
    if (isEmpty && !isGone) return 'early';
    this.settling = this.settle(ended)
      .then(() => {
        this.events.changed(isHere);
      })
      .catch(() => undefined); // if this fails, the answer stays as received
    return 'early';
  }

  /** Shows the chat as it is now, after a question was refused that may have known an earlier state. */
  private async refresh(error: unknown): Promise<void> {
    const known = this.revision;
    await Promise.resolve(); // the refused question ends first
    await this.load();
    const isStale = this.revision !== known;
    this.store.update({ isStale, error: isStale ? null : error });
  }

  /**
   * Waits until the service has stored the exchange, and then shows the stored turns. Leaves the exchange open if the
   * service does not store it in time.
   */
  private async settle(exchange: OpenExchange): Promise<void> {
    const { question, at, ending } = exchange;
    await this.stopping;
    const found = await this.stored.readWhenStored(question, at, this.revision);
    if (found === null) return;
    this.isNew = false;
    this.revision = found.revision;
    const turns = turnsOf(found.stored, this.state.turns);
    this.store.update({
      turns: ending === null ? turns : withEnding(turns, ending),
      ...(this.state.open === exchange ? { open: null } : {}),
    });
  }
}

/** An exchange whose page was left, or whose connection was lost, before its answer was whole. */
function interrupted(open: OpenExchange | null): OpenExchange | null {
  return open === null ? null : { ...open, ending: open.ending ?? 'interrupted', isDisconnected: false };
}

/** An exchange that was to be stopped, while the service could not be told. */
function unstopped(open: OpenExchange | null): OpenExchange | null {
  return open?.ending === 'stopped' ? { ...open, ending: 'broken' } : open;
}
