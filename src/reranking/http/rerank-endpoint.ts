import { Deadline } from '../../errors/index.js';
import { refused } from '../../embedding/provider/provider-error.js';
import { TransientFailure, withRetries, type RetryPolicy } from '../../embedding/provider/retry.js';
import { PROVIDER, unusable } from './rerank-answer.js';

export interface Patience extends RetryPolicy {
  /** Deadline of one call. */
  readonly timeoutMs: number;
}

/** One `/rerank` address: sends a body, gives the parsed answer, and says in the words of the family what failed. */
export class RerankEndpoint {
  private readonly url: string;

  /** @param base with or without `/rerank` at its end. */
  constructor(
    base: string,
    private readonly key: string | undefined,
    private readonly model: string,
    private readonly patience: Patience,
  ) {
    const trimmed = base.replace(/\/+$/, '');
    this.url = trimmed.endsWith('/rerank') ? trimmed : `${trimmed}/rerank`;
  }

  /** @throws ProviderFailed, TooManyRequests, DeadlineExceeded, or the reason of `signal`. */
  send(body: object, signal: AbortSignal | undefined): Promise<unknown> {
    return withRetries(() => this.sendOnce(body, signal), { ...this.patience, signal });
  }

  private async sendOnce(body: object, signal: AbortSignal | undefined): Promise<unknown> {
    const deadline = new Deadline(this.patience.timeoutMs, signal, `${PROVIDER} did not answer in time`);
    const [response, text] = await this.exchange(body, deadline.signal)
      .catch((error: unknown) => {
        deadline.throwIfOver();
        throw new TransientFailure(`${PROVIDER} cannot be reached`, undefined, { cause: error });
      })
      .finally(() => {
        deadline.end();
      });
    if (!response.ok) {
      const { status, headers } = response;
      throw refused({ provider: PROVIDER, model: this.model, status, headers });
    }
    try {
      return JSON.parse(text) as unknown;
    } catch {
      throw unusable('something that is not JSON');
    }
  }

  /** A redirect is refused: the key is for this address only. */
  private async exchange(body: object, signal: AbortSignal): Promise<[Response, string]> {
    const response = await fetch(this.url, {
      method: 'POST',
      redirect: 'error',
      headers: {
        'content-type': 'application/json',
        ...(this.key !== undefined && { authorization: `Bearer ${this.key}` }),
      },
      body: JSON.stringify(body),
      signal,
    });
    return [response, await response.text()];
  }
}
