import type { LecternClient } from '../client.js';
import { NO_ANSWER, runAnswer, SHOWN, type AnswerRequest, type ShownAnswer } from './answer.js';
import { Store } from './store.js';

/** Asks questions one at a time and streams the answers. */
export class AnswerStore extends Store<ShownAnswer> {
  private running: AbortController | null = null;

  constructor(
    private client: LecternClient,
    private request: AnswerRequest = {},
  ) {
    super(NO_ANSWER);
  }

  /** Sets what the next question is asked with. */
  configure(client: LecternClient, request: AnswerRequest): void {
    this.client = client;
    this.request = request;
  }

  /** Stops the running answer, if any, and asks a question. Resolves when the answer has ended, in any state. */
  readonly ask = async (query: string): Promise<void> => {
    this.stop();
    const stopping = new AbortController();
    this.running = stopping;
    this.update({ ...NO_ANSWER, question: query, state: 'searching' });
    const isCurrent = (): boolean => this.running === stopping;
    await runAnswer((options) => this.client.queryStream({ ...SHOWN, ...this.request, query }, options), {
      signal: stopping.signal,
      onChange: (change) => {
        if (isCurrent()) this.update(change);
      },
      onText: (change) => {
        if (isCurrent()) this.updateOften(change);
      },
    });
  };

  /** Stops the answer, also at the service. */
  readonly stop = (): void => {
    this.running?.abort();
  };

  /** Asks the same question again. */
  readonly retry = async (): Promise<void> => {
    const { question } = this.state;
    if (question !== null) await this.ask(question);
  };
}
