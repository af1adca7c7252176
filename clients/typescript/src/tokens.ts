import { LecternError } from './errors.js';

/** How long before its end a token is replaced: a tenth of its time, at most half a minute. */
const MARGIN_MS = 30_000;
const MARGIN_SHARE = 0.1;

/**
 * Short-lived tokens of an application. A token is used until shortly before its end, if it says when it ends, or until
 * the service refuses it; then a new token is made.
 */
export class Tokens {
  private current: Promise<string> | null = null;
  private usableUntil = Infinity;

  /** @param make makes a token */
  constructor(private readonly make: () => Promise<string>) {}

  /**
   * Sends a request with the current token. After a 401, sends the request once more with a new token. Concurrent
   * requests share the token.
   *
   * @throws whatever `make` throws; a TypeError, as of a fetch without a connection, is a LecternError with status 0
   */
  async send(attempt: (token: string) => Promise<Response>): Promise<Response> {
    const used = this.get();
    const response = await attempt(await used);
    if (response.status !== 401) return response;
    await response.body?.cancel();
    if (this.current === used) this.current = null;
    return attempt(await this.get());
  }

  private get(): Promise<string> {
    if (this.current !== null && Date.now() < this.usableUntil) return this.current;
    const token = this.make().catch((error: unknown) => {
      throw error instanceof TypeError ? LecternError.unanswered(error) : error;
    });
    this.current = token;
    this.usableUntil = Infinity;
    token.then(
      (text) => {
        if (this.current === token) this.usableUntil = usableUntil(text);
      },
      () => {
        // The caller gets the error. Without a current token, the next request makes another token.
        if (this.current === token) this.current = null;
      },
    );
    return token;
  }
}

/**
 * Until when a token should be used, in milliseconds since 1970. Infinity for a token that is no JWT, and for one that
 * ended before it was made: the clocks differ, and a 401 will tell.
 */
function usableUntil(token: string): number {
  const now = Date.now();
  const left = 1_000 * (claimsOf(token).exp ?? Infinity) - now;
  return left <= 0 ? Infinity : now + left - Math.min(MARGIN_MS, MARGIN_SHARE * left);
}

function claimsOf(token: string): { readonly exp?: number } {
  const [, payload = ''] = token.split('.');
  try {
    return JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))) as { exp?: number };
  } catch {
    return {};
  }
}
