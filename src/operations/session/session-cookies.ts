import { parseCookie, type SetCookie, stringifySetCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SESSION_COOKIES } from '../../auth/credentials.js';
import { SIGN_IN_SECONDS } from '../../auth/people/oidc-sign-in.js';

const [SECURE_NAME, PLAIN_NAME] = SESSION_COOKIES;

/** Names of the cookie of a sign-in that has begun at the identity provider. */
const BEGUN_COOKIES = ['__Host-lectern-sign-in', 'lectern_sign_in'] as const;

/** Seconds after which browsers forget a cookie at the latest. */
const LONGEST_SECONDS = 400 * 86_400;

/** Sets the cookies of a sign-in: not readable by scripts, not sent by other sites, and only with TLS if there is any. */
export class SessionCookies {
  private readonly isSecure: boolean;

  /** @param publicUrl PUBLIC_URL */
  constructor(
    private readonly request: FastifyRequest,
    private readonly reply: FastifyReply,
    publicUrl: string | undefined,
  ) {
    this.isSecure = request.protocol === 'https' || publicUrl?.startsWith('https:') === true;
  }

  /** @param stay whether the browser keeps the cookie when it is closed */
  setSession(value: string, stay: boolean): void {
    this.set(SESSION_COOKIES, value, stay ? LONGEST_SECONDS : undefined, 'strict');
  }

  endSession(): void {
    for (const name of [SECURE_NAME, PLAIN_NAME]) this.expire(name);
  }

  /** The provider sends the browser back from its own site, so this cookie is `Lax`. */
  setBegun(value: string): void {
    this.set(BEGUN_COOKIES, value, SIGN_IN_SECONDS, 'lax');
  }

  /** Reads the cookie of a sign-in that has begun, and removes it, because it counts once. */
  takeBegun(): string {
    const cookies = parseCookie(this.request.headers.cookie ?? '');
    const [secure, plain] = BEGUN_COOKIES;
    this.expire(secure);
    this.expire(plain);
    return cookies[this.isSecure ? secure : plain] ?? '';
  }

  private set(
    [secure, plain]: readonly [string, string],
    value: string,
    maxAge: number | undefined,
    sameSite: 'strict' | 'lax',
  ): void {
    const name = this.isSecure ? secure : plain;
    this.add({ name, value, sameSite, ...(maxAge !== undefined && { maxAge }), secure: this.isSecure });
  }

  private expire(name: string): void {
    this.add({ name, value: '', sameSite: 'strict', maxAge: 0, secure: name.startsWith('__Host-') });
  }

  private add(cookie: SetCookie): void {
    void this.reply.header('set-cookie', stringifySetCookie({ path: '/', httpOnly: true, ...cookie }));
  }
}
