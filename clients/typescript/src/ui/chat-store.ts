import type { LecternClient } from '../client.js';
import { LecternError } from '../errors.js';
import { randomKey } from '../random-key.js';
import type { ChatTurn } from '../types.js';
import { NO_ANSWER, runAnswer, type AnswerRequest, type ShownAnswer } from './answer.js';
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

/** A chat: its stored exchanges, and the one that is being answered. */
export class ChatStore extends Store<ShownChat> {
  private running: AbortController | null = null;
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
    if (chatId !== this.continued) {
      this.continued = chatId;
      this.stop();
      this.update({ ...EMPTY, chatId: chatId ?? randomKey() });
    }
    if (chatId !== undefined) void this.load();
  };

  /** Reads the stored exchanges. */
  readonly load = async (): Promise<void> => {
    const { chatId } = this.state;
    this.update({ isLoading: true, loadError: null });
    const show = (change: Partial<ShownChat>): void => {
      if (this.state.chatId === chatId) this.update({ ...change, isLoading: false });
    };
    try {
      const messages = await this.messages();
      show(this.isAnswering() ? {} : { exchanges: this.exchangesOf(messages) });
    } catch (loadError) {
      show({ loadError });
    }
  };

  /** Stops the running answer, if any, and asks a question. Resolves when the answer has ended, in any state. */
  readonly ask = (question: string): Promise<void> => this.run(question, this.state.exchanges.length);

  /** Stops the answer, also at the service, where the chat keeps the text so far. */
  readonly stop = (): void => {
    this.running?.abort();
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
    const stopping = new AbortController();
    this.running = stopping;
    const before = this.state.exchanges[place];
    const earlier = this.state.exchanges.slice(0, place);
    const key = this.nextKey();
    const { at = null, earlierVersions = 0 } = before ?? {};
    const begun: Exchange = { ...NO_ANSWER, key, question: query, at, earlierVersions, state: 'searching' };
    this.update({ exchanges: [...earlier, begun] });
    try {
      const replaced = before === undefined ? null : await this.storedPlace(before, earlier);
      if (replaced !== null) this.change(key, replaced);
      const request = {
        ...this.request,
        query,
        chat_id: this.state.chatId,
        ...(replaced === null ? {} : { replace_from: replaced.at }),
      };
      stopping.signal.throwIfAborted();
      await runAnswer(this.client, request, {
        signal: stopping.signal,
        onChange: (change) => {
          const index = change.metadata?.message_index;
          this.change(key, index === undefined ? change : { ...change, at: index - 1 });
        },
        onText: (change) => {
          this.updateOften({ exchanges: this.changed(key, change) });
        },
      });
    } catch (error) {
      this.change(key, stopping.signal.aborted ? { state: 'stopped' } : { state: 'failed', error });
    }
    if (this.running === stopping) this.running = null;
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
    const last = earlier.findLast((one) => one.at !== null)?.at ?? -2;
    const found = messages.findLastIndex(
      ({ role, content }, index) => index > last + 1 && role === 'user' && content === question,
    );
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

  private isAnswering(): boolean {
    return this.running !== null;
  }

  private nextKey(): number {
    this.keys += 1;
    return this.keys;
  }

  private exchangesOf(messages: readonly ChatTurn[]): Exchange[] {
    return messages.flatMap((message, at) => {
      const answer = messages[at + 1];
      if (message.role !== 'user' || answer === undefined) return [];
      return {
        ...NO_ANSWER,
        key: this.nextKey(),
        at,
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
