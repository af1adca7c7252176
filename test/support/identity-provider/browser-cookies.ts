import { answerOf, type Answer } from '../client.js';

/** The cookies that a browser has of the service. */
export class BrowserCookies {
  readonly cookies = new Map<string, string>();
  /** `Set-Cookie` of all responses. */
  readonly set: string[] = [];

  constructor(readonly base: string) {}

  /** Sends a request as a page of the service does. */
  async send(
    method: string,
    path: string,
    { body, headers = {} }: { body?: unknown; headers?: Readonly<Record<string, string>> } = {},
  ): Promise<Answer> {
    const response = await fetch(new URL(path, this.base), {
      method,
      redirect: 'manual',
      headers: {
        cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        'sec-fetch-site': 'same-origin',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      this.set.push(cookie);
      const [pair = ''] = cookie.split(';');
      const [name = '', value = ''] = pair.split('=', 2);
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return answerOf(response);
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.send('GET', path, { headers });
  }
}
