import type { LecternClient } from '../client.js';
import { AnswerGone, LecternError } from '../errors.js';
import { randomKey } from '../random-key.js';
import { pause } from '../retry.js';
import type { AskerOptions, ChatTurn, RunningAnswer } from '../types.js';
import { NO_ANSWER, runAnswer, SHOWN, type AnswerRequest, type ShownAnswer } from './answer.js';
import { Store } from './store.js';

/** A question of a chat with its answer. */
export interface Exchange extends ShownAnswer {
  readonly question: string;
  /** Names the exchange while the chat is shown. */
  readonly key: number;
  /** Index of the question among the messages of the stored chat; null: not known. */
  readonly at: number | null;
  /** How often the exchange was replaced by `retry` and `edit`. */
  readonly earlierVersions: number;
}

export interface ShownChat {
  readonly chatId: string;
  readonly exchanges: readonly Exchange[];
  readonly isLoading: boolean;
  /** Why the stored chat could not be read. */
  readonly loadError: unknown;
}

const EMPTY: Omit<ShownChat, 'chatId'> = { exchanges: [], isLoading: false, loadError: null };

/** The answer that the store shows while it is written. */
interface Running {
  readonly key: number;
  readonly answerId: string;
  readonly asker: Pick<AskerOptions, 'end_user_id' | 'groups'>;
  /** Ends the connection; the answer goes on at the service. */
  readonly leaving: AbortController;
  /** Whether the service is known to have the question. */
  hasBegun: boolean;
}

/** Pauses before the looks for an answer that another process of the service may be writing. */
const LOOKS_MS = [0, 500, 1_000, 2_000, 4_000, 8_000];

/**
 * A chat: its stored exchanges, and the one that is being answered. An answer goes on at the service when its page is
 * left, and every store of the chat follows it.
 */
export class ChatStore extends Store<ShownChat> {
  private running: Running | null = null;
  /** Resolves when the service has ended what was stopped, so that the next question comes behind it. */
  private stopping: Promise<void> = Promise.resolve();
  private isClosed = false;
  private keys = 0;

  /** @param continued a chat to continue; without one a new chat begins */
  constructor(
    private client: LecternClient,
    private request: AnswerRequest = {},
    private continued?: string,
  ) {
    super({ ...EMPTY, chatId: continued ?? randomKey() });
  }

  /** Sets what the next question is asked with. */
  configure(client: LecternClient, request: AnswerRequest): void {
    this.client = client;
    this.request = request;
  }

  /** Shows a chat to continue, or a new one. */
  readonly open = (chatId?: string): void => {
    const wasClosed = this.isClosed;
    this.isClosed = false;
    if (chatId !== this.continued) {
      this.continued = chatId;
      this.leave();
      this.update({ ...EMPTY, chatId: chatId ?? randomKey() });
    }
    if (chatId !== undefined || wasClosed) void this.load();
  };

  /** Leaves the chat. Its answer goes on at the service. */
  readonly close = (): void => {
    this.isClosed = true;
    this.leave();
  };

  /** Reads the stored exchanges, and follows the answer that is being written, wherever it was asked for. */
  readonly load = async (): Promise<void> => {
    const { chatId } = this.state;
    this.update({ isLoading: true, loadError: null });
    const isShown = (): boolean => this.state.chatId === chatId && !this.isClosed;
    try {
      // First the answers: one that ends meanwhile is among the messages.
      const answers = await this.client.answers.running({ chat_id: chatId, ...this.asker() });
      const messages = await this.messages();
      if (!isShown()) return;
      const written = answers.at(-1);
      const isOwn = this.running !== null;
      this.update({ isLoading: false, ...(isOwn ? {} : { exchanges: this.exchangesOf(messages) }) });
      if (!isOwn && written !== undefined) void this.follow(written, messages);
    } catch (loadError) {
      if (isShown()) this.update({ loadError, isLoading: false });
    }
  };

  /** Stops the running answer, if any, and asks a question. Resolves when the answer has ended, in any state. */
  readonly ask = (question: string): Promise<void> => this.run(question, this.state.exchanges.length);

  /** Stops the answer, also at the service, where the chat keeps the text so far. */
  readonly stop = (): void => {
    const { running } = this;
    if (running === null) return;
    this.leave();
    this.change(running.key, { state: 'stopped', error: null });
    this.stopping = this.end(running);
  };

  /**
   * Asks a question again. The new answer replaces the old one and all later exchanges, which the chat keeps as versions.
   *
   * @param place index of the exchange; unset: the last one
   */
  readonly retry = async (place = this.state.exchanges.length - 1): Promise<void> => {
    const exchange = this.state.exchanges[place];
    if (exchange !== undefined) await this.run(exchange.question, place);
  };

  /** Asks another question in place of an exchange and all later ones. @param place index of the exchange */
  readonly edit = (place: number, question: string): Promise<void> => this.run(question, place);

  /** What `retry` and `edit` replaced at a place, oldest first. @throws LecternError */
  readonly versions = async (place: number): Promise<Exchange[]> => {
    const at = this.state.exchanges[place]?.at ?? null;
    if (at === null) return [];
    const versions = await this.client.chats.versions(this.state.chatId);
    return versions
      .filter(({ message_index: index }) => index === at)
      .flatMap(({ messages }) => this.exchangesOf(messages.slice(0, 2)));
  };

  private async run(query: string, place: number): Promise<void> {
    this.stop();
    const before = this.state.exchanges[place];
    const earlier = this.state.exchanges.slice(0, place);
    const { at = null, earlierVersions = 0 } = before ?? {};
    const running = this.begin(earlier, { question: query, at, earlierVersions }, randomKey());
    const { key, answerId, leaving } = running;
    try {
      await this.stopping;
      const replaced = before === undefined ? null : await this.storedPlace(before, earlier);
      if (replaced !== null) this.change(key, replaced);
      leaving.signal.throwIfAborted();
      const request = {
        ...SHOWN,
        ...this.request,
        query,
        chat_id: this.state.chatId,
        answer_id: answerId,
        ...(replaced === null ? {} : { replace_from: replaced.at }),
      };
      await this.read(running, (options) => this.client.queryStream(request, options));
    } catch (error) {
      if (this.running === running) this.change(key, { state: 'failed', error });
    }
    if (this.running === running) this.running = null;
  }

  /** Shows an answer that this or another page has asked for. */
  private async follow(
    { answer_id: answerId, query, replace_from: from }: RunningAnswer,
    messages: readonly ChatTurn[],
  ): Promise<void> {
    const at = from ?? messages.length;
    const replaced = messages[at];
    const earlierVersions = replaced === undefined ? 0 : (replaced.earlier_versions ?? 0) + 1;
    const earlier = this.exchangesOf(messages.slice(0, at));
    const running = this.begin(earlier, { question: query ?? '', at, earlierVersions }, answerId);
    running.hasBegun = true;
    await this.read(running, (options) =>
      this.client.answers.follow(answerId, { ...running.asker, ...options }),
    );
    if (this.running === running) this.running = null;
  }

  private begin(
    earlier: readonly Exchange[],
    asked: Pick<Exchange, 'question' | 'at' | 'earlierVersions'>,
    answerId: string,
  ): Running {
    const running: Running = {
      key: this.nextKey(),
      answerId,
      asker: this.asker(),
      leaving: new AbortController(),
      hasBegun: false,
    };
    this.running = running;
    const begun: Exchange = { ...NO_ANSWER, ...asked, key: running.key, state: 'searching' };
    this.update({ exchanges: [...earlier, begun] });
    return running;
  }

  private async read(running: Running, stream: Parameters<typeof runAnswer>[0]): Promise<void> {
    const { key, leaving } = running;
    const isCurrent = (): boolean => this.running === running;
    const failure = await runAnswer(stream, {
      signal: leaving.signal,
      onChange: (change) => {
        if (!isCurrent()) return;
        running.hasBegun ||= change.state === 'searching' || change.state === 'done';
        const index = change.metadata?.message_index;
        this.change(key, index === undefined ? change : { ...change, at: index - 1 });
      },
      onText: (change) => {
        running.hasBegun = true;
        if (isCurrent()) this.updateOften({ exchanges: this.changed(key, change) });
      },
    });
    if (failure instanceof AnswerGone && isCurrent()) await this.settle(running, failure);
  }

  /**
   * Waits until the chat has an answer whose events the service no longer keeps: it has ended, or another process writes
   * it. Shows the failure if it does not come within 15 seconds.
   */
  private async settle(running: Running, failure: AnswerGone): Promise<void> {
    const { key, leaving } = running;
    this.change(key, { state: 'retrying', error: failure });
    try {
      for (const wait of LOOKS_MS) {
        await pause(wait, leaving.signal);
        const messages = await this.messages();
        const place = this.state.exchanges.findIndex((one) => one.key === key);
        const exchange = this.state.exchanges[place];
        if (exchange === undefined || this.running !== running) return;
        const found = questionIn(messages, exchange.question, this.state.exchanges.slice(0, place));
        // An earlier version of the same question does not count.
        if (found !== -1 && (messages[found]?.earlier_versions ?? 0) >= exchange.earlierVersions) {
          const [stored] = this.exchangesOf(messages.slice(found, found + 2), found);
          this.change(key, { ...stored, key });
          return;
        }
      }
      const error = new LecternError(0, 'The answer broke off, and its chat does not have it', {
        cause: failure,
      });
      this.change(key, { state: 'failed', error });
    } catch (error) {
      if (this.running === running) this.change(key, { state: 'failed', error });
    }
  }

  /** Ends an answer at the service. */
  private async end({ key, answerId, asker, hasBegun }: Running): Promise<void> {
    try {
      await this.client.answers.stop(answerId, { ...asker, isOnItsWay: !hasBegun });
    } catch (error) {
      const hasNeverArrived = !hasBegun && error instanceof LecternError && error.status === 404;
      if (!hasNeverArrived) this.change(key, { state: 'failed', error });
    }
  }

  private leave(): void {
    this.running?.leaving.abort();
    this.running = null;
  }

  private asker(): Running['asker'] {
    const { end_user_id: person, groups } = this.request;
    return {
      ...(typeof person === 'string' ? { end_user_id: person } : {}),
      ...(Array.isArray(groups) ? { groups } : {}),
    };
  }

  /**
   * Where the service stored an exchange, or will store it. An exchange that ended early may or may not be stored, so
   * the chat is read.
   */
  private async storedPlace(
    { question, state, at, earlierVersions }: Exchange,
    earlier: readonly Exchange[],
  ): Promise<Pick<Exchange, 'earlierVersions'> & { readonly at: number }> {
    if (state === 'done' && at !== null) return { at, earlierVersions: earlierVersions + 1 };
    const messages = await this.messages();
    const found = questionIn(messages, question, earlier);
    if (found === -1) return { at: messages.length, earlierVersions };
    return { at: found, earlierVersions: (messages[found]?.earlier_versions ?? 0) + 1 };
  }

  private async messages(): Promise<ChatTurn[]> {
    try {
      return await this.client.chats.messages(this.state.chatId);
    } catch (error) {
      if (error instanceof LecternError && error.status === 404) return []; // nothing is stored yet
      throw error;
    }
  }

  private nextKey(): number {
    this.keys += 1;
    return this.keys;
  }

  /** @param first index of the first message in the chat */
  private exchangesOf(messages: readonly ChatTurn[], first = 0): Exchange[] {
    return messages.flatMap((message, index) => {
      const answer = messages[index + 1];
      if (message.role !== 'user' || answer === undefined) return [];
      return {
        ...NO_ANSWER,
        key: this.nextKey(),
        at: first + index,
        earlierVersions: message.earlier_versions ?? 0,
        question: message.content,
        state: answer.stopped === true ? 'stopped' : 'done',
        text: answer.content,
        sources: answer.sources ?? [],
        citations: answer.citations ?? [],
      };
    });
  }

  private change(key: number, change: Partial<Exchange>): void {
    this.update({ exchanges: this.changed(key, change) });
  }

  private changed(key: number, change: Partial<Exchange>): Exchange[] {
    return this.state.exchanges.map((one) => (one.key === key ? { ...one, ...change } : one));
  }
}

/** Index of a question behind the stored exchanges; -1: it is not stored. */
function questionIn(messages: readonly ChatTurn[], question: string, earlier: readonly Exchange[]): number {
  const last = earlier.findLast(({ at }) => at !== null)?.at ?? -2;
  return messages.findLastIndex(
    ({ role, content }, index) => index > last + 1 && role === 'user' && content === question,
  );
}
