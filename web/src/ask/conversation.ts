import { LecternError, type LecternClient, type QueryRequest, type Rating } from '../api/lectern.js';
import { onReached } from '../app/reached.js';
import { keyOf, type ChatOwner } from '../chats/owner.js';
import { sentencesOf } from '../design/notices.js';
import { endOf, NO_ANSWER, type Answer } from './answer.js';
import { exchangeOf, turnsOf, withEnding, type EarlyEnd, type LostExchange, type Turn } from './turn.js';

/** Tries to read an early end from the service, which stores it when it notices the end of the connection. */
const TRIES = 10;
const TRY_EVERY_MS = 200;

/** A question whose answer the service has not stored, as far as this page knows. */
interface OpenExchange {
  readonly question: string;
  /** Index of the first turn that the question replaces. */
  readonly at: number;
  readonly answer: Answer;
  /** null: the answer is being written. */
  readonly ending: EarlyEnd | null;
}

export interface ConversationState {
  /** Turns that the service has stored. */
  readonly turns: readonly Turn[];
  /** Exchanges that broke off before the next question and that the service does not have. */
  readonly lost: readonly LostExchange[];
  readonly open: OpenExchange | null;
  /** Error of the last question. */
  readonly error: unknown;
  readonly isLoading: boolean;
  readonly loadError: unknown;
  /** Whether the chat was deleted. */
  readonly isGone: boolean;
  /** Whether it is somebody else's, which is read and not continued. */
  readonly isForeign: boolean;
}

/** The part of the state that survives a reload. */
type Kept = Pick<ConversationState, 'turns' | 'lost' | 'open'>;

/** What a conversation needs of its session. */
export interface ConversationHome {
  readonly client: LecternClient;
  readonly kept: Map<string, unknown>;
  readonly ended: AbortSignal;
  /** Called when the service refuses the key. */
  readonly refused: () => void;
  /** Whether chats of others may be read. */
  readonly readsOthers: boolean;
}

export interface Question {
  readonly text: string;
  readonly request: QueryRequest;
  /** Index of the first turn to replace; unset: the question is appended. */
  readonly at?: number | undefined;
  /** Whether a language model is configured, so that its failure leaves the passages to quote. */
  readonly hasModel: boolean;
  readonly onStored: () => void;
}

/** `none`: there is no trace of the question in the conversation, because it was refused, or stopped at once. */
type Outcome = 'whole' | 'early' | 'none';

/**
 * A chat: its stored turns, and the question that is being answered. It belongs to the session, not to a view: an answer
 * goes on while another view is shown, and an exchange that the service may not have stored survives a reload.
 */
export class Conversation {
  state: ConversationState;
  private readonly listeners = new Set<(state: ConversationState) => void>();
  private abort: AbortController | null = null;
  /** Resolves when it is known whether the service has stored the last early end. */
  private settling: Promise<void> = Promise.resolve();
  private loading: Promise<void> = Promise.resolve();
  private frame = 0;
  private isDiscarded = false;

  constructor(
    readonly id: string,
    private readonly owner: ChatOwner,
    /** Whether the service does not have it yet. */
    private isNew: boolean,
    private readonly home: ConversationHome,
    private readonly onChange: () => void,
  ) {
    const kept = home.kept.get(this.keptAs) as Kept | undefined;
    const { turns = [], lost = [], open = null } = kept ?? {};
    this.state = {
      turns,
      lost,
      // The page that read the answer is gone.
      open: open === null ? null : { ...open, ending: open.ending ?? 'interrupted' },
      error: null,
      isLoading: false,
      loadError: null,
      isGone: false,
      isForeign: 'end_user_id' in owner || !owner.own,
    };
    const leave = onReached(() => {
      const { error } = this.state;
      if (error instanceof LecternError && error.status === 0) this.update({ error: null });
    });
    home.ended.addEventListener('abort', () => {
      leave();
      this.abort?.abort();
    });
  }

  isWriting(): boolean {
    return this.state.open !== null && this.state.open.ending === null;
  }

  /** @returns a function that ends it */
  follow(listener: (state: ConversationState) => void): () => void {
    this.listeners.add(listener);
    listener(this.state);
    return () => {
      this.listeners.delete(listener);
    };
  }

  /** Reads the stored turns, unless an answer is being written. */
  async load(): Promise<void> {
    if (this.isWriting() || this.state.isLoading || (this.isNew && this.state.open === null)) return;
    this.update({ isLoading: true, loadError: null });
    this.loading = this.read();
    await this.loading;
  }

  private async read(): Promise<void> {
    const { open } = this.state;
    try {
      if (open !== null) {
        this.settling = this.settle(open);
        await this.settling;
      }
      // Nothing stored comes before the first question.
      if (this.state.open?.at !== 0) this.update({ turns: await this.stored(), isGone: false });
    } catch (error) {
      if (!(error instanceof LecternError)) throw error;
      if (error.status === 401) this.home.refused();
      else if (error.status === 404) this.update({ turns: [], lost: [], open: null, isGone: true });
      else this.update({ loadError: error });
    } finally {
      this.update({ isLoading: false });
    }
  }

  async ask({ text: question, request, at, hasModel, onStored }: Question): Promise<Outcome> {
    if (this.isWriting()) return 'none';
    const { open: before } = this.state;
    const own = new AbortController();
    this.abort = own;
    const started = { question, at: at ?? before?.at ?? this.state.turns.length };
    this.update({ open: { ...started, answer: NO_ANSWER, ending: null }, error: null });
    const { length: stored } = this.state.turns;
    await Promise.all([this.loading, this.settling]);
    if (this.state.isForeign || this.state.isGone) {
      this.update({ open: null });
      return 'none';
    }
    const place = { question, at: at ?? this.state.turns.length };
    this.update({
      lost: this.lostBefore(place.at, at === undefined && this.state.turns.length === stored ? before : null),
      open: { ...place, answer: NO_ANSWER, ending: null },
    });
    const isReplacing = at !== undefined && (before === null || (await this.isStored(at).catch(() => true)));
    const asked = {
      ...request,
      chat_id: this.id,
      inline_citations: true,
      stream_sources: true,
      ...(isReplacing ? { replace_from: at } : {}),
    };
    try {
      const answer = await this.answered(asked, hasModel, own.signal);
      this.isNew = false;
      this.update({
        turns: [...this.state.turns.slice(0, place.at), ...exchangeOf(question, answer)],
        open: null,
      });
      onStored();
      return 'whole';
    } catch (error) {
      return this.endEarly(own.signal.aborted ? null : error, onStored);
    }
  }

  /** @param before the exchange that the service has not stored, if there is one */
  private lostBefore(at: number, before: OpenExchange | null): readonly LostExchange[] {
    const lost = this.state.lost.filter((one) => one.at <= at);
    if (before === null || before.answer.text === '') return lost;
    return [...lost, { at, turns: exchangeOf(before.question, before.answer, before.ending) }];
  }

  stop(): void {
    this.abort?.abort();
  }

  /** Stops for good, because the chat was deleted. */
  discard(): void {
    this.isDiscarded = true;
    this.stop();
  }

  rate(index: number, feedback: Rating | null): void {
    const turns = this.state.turns.map((turn, place) => (place === index ? { ...turn, feedback } : turn));
    this.update({ turns });
  }

  /** @param error null: the reader stopped it */
  private endEarly(error: unknown, onStored: () => void): Outcome {
    const { open } = this.state;
    if (open === null || this.isDiscarded || this.home.ended.aborted) return 'none';
    const isEmpty = open.answer.text === '';
    const status = error instanceof LecternError ? error.status : null;
    if (status === 401) this.home.refused();
    const isRefused = status !== null && status >= 400 && status < 500 && status !== 429;
    if (isEmpty && (error === null || isRefused)) {
      this.update({ open: null, error });
      return 'none';
    }
    const ended: OpenExchange = { ...open, ending: error === null ? 'stopped' : 'broken' };
    // A text that breaks off says so itself.
    this.update({ open: ended, error: status === 0 && !isEmpty ? null : error });
    if (isEmpty) return 'early';
    this.settling = this.settle(ended)
      .then(onStored)
      .catch(() => undefined); // it is shown as it was received
    return 'early';
  }

  /** The whole answer; if the language model fails before its first word, the passages closest to the question. */
  private async answered(request: QueryRequest, hasModel: boolean, signal: AbortSignal): Promise<Answer> {
    try {
      return await this.streamed(request, signal);
    } catch (error) {
      const isOfModel = error instanceof LecternError && MODEL_FAILURES.has(error.status);
      if (signal.aborted || !hasModel || !isOfModel || this.state.open?.answer.text !== '') throw error;
      const quoting = { ...request, llm_config: { model: 'extractive' } };
      const failure = sentencesOf(error)[0] ?? '';
      try {
        return { ...(await this.streamed(quoting, signal)), failure };
      } catch {
        throw error;
      }
    }
  }

  private async streamed(request: QueryRequest, signal: AbortSignal): Promise<Answer> {
    let answer = NO_ANSWER;
    for await (const event of this.home.client.queryStream(request, { signal })) {
      if (event.type === 'assistant') answer = { ...answer, text: answer.text + event.content };
      else if (event.type === 'sources') answer = { ...answer, sources: event.sources };
      else answer = { ...answer, end: endOf(event) };
      const { open } = this.state;
      if (open !== null) this.receive({ ...open, answer });
    }
    return answer;
  }

  /** Shows the answer so far at most once per frame, because the whole text is parsed as Markdown each time. */
  private receive(open: OpenExchange): void {
    this.state = { ...this.state, open };
    this.keep();
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => {
      this.tell();
    });
  }

  /** Takes over the exchange as soon as the service has stored it, as whole or as stopped; else leaves it open. */
  private async settle(exchange: OpenExchange): Promise<void> {
    const { question, at, ending } = exchange;
    for (let tries = 0; tries < TRIES; tries += 1) {
      if (await this.isStored(at, at + 2)) {
        const now = await this.stored();
        if (now[at]?.text === question && now[at + 1] !== undefined) {
          this.isNew = false;
          const turns = ending === null ? now : withEnding(now, ending);
          this.update({ turns, ...(this.state.open === exchange ? { open: null } : {}) });
          return;
        }
      }
      await new Promise((resolve) => setTimeout(resolve, TRY_EVERY_MS));
    }
  }

  /** Whether the service has stored the exchange at an index. */
  private async isStored(at: number, atMost = Infinity): Promise<boolean> {
    const listed = await this.home.client.chats.list({ own: true });
    return listed.some(
      ({ chat_id: id, message_count: count }) => id === this.id && count >= at + 2 && count <= atMost,
    );
  }

  private async stored(): Promise<readonly Turn[]> {
    const { client, readsOthers } = this.home;
    const { id, owner } = this;
    const { turns } = this.state;
    try {
      return turnsOf(await client.chats.messages(id, owner), turns);
    } catch (error) {
      const isOthers = 'own' in owner && owner.own && error instanceof LecternError && error.status === 404;
      if (!isOthers || !readsOthers) throw error;
      const messages = await client.chats.messages(id, { own: false });
      this.update({ isForeign: true });
      return turnsOf(messages, turns);
    }
  }

  private update(change: Partial<ConversationState>): void {
    const wasWriting = this.isWriting();
    this.state = { ...this.state, ...change };
    this.keep();
    this.tell();
    if (wasWriting !== this.isWriting()) this.onChange();
  }

  private keep(): void {
    const { turns, lost, open } = this.state;
    this.home.kept.set(this.keptAs, { turns, lost, open } satisfies Kept);
  }

  private tell(): void {
    for (const listener of this.listeners) listener(this.state);
  }

  private get keptAs(): string {
    return `chat ${keyOf(this.id, this.owner)}`;
  }
}

/** Provider failed, overloaded, too slow: the passages may still be there. */
const MODEL_FAILURES: ReadonlySet<number> = new Set([429, 502, 504]);
