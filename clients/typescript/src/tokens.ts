/** Short-lived tokens of an application. A token is used until the service refuses it; then a new token is made. */
export class Tokens {
  private current: Promise<string> | null = null;

  /** @param make makes a token */
  constructor(private readonly make: () => Promise<string>) {}

  /**
   * Sends a request with the current token. After a 401, sends the request once more with a new token. Concurrent
   * requests share the token.
   *
   * @throws whatever `make` throws
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
    if (this.current !== null) return this.current;
    const made = this.make();
    this.current = made;
    // The caller gets the error through `made`. Without a current token, the next request makes another token.
    made.catch(() => {
      if (this.current === made) this.current = null;
    });
    return made;
  }
}
