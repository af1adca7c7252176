import { type SetCookie, stringifySetCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { cookieOf, type CookieNames, SESSION_COOKIES } from '../../auth/credentials.js';
import { SIGN_IN_SECONDS } from '../../auth/people/oidc-sign-in.js';

/** Names of the cookie of a sign-in that has begun at the identity provider. */
const BEGUN_COOKIES: CookieNames = ['__Host-lectern-sign-in', 'lectern_sign_in'];

/** Seconds after which browsers forget a cookie at the latest. */
const LONGEST_SECONDS = 400 * 86_400;

/** Sets the cookies of a sign-in: not readable by scripts, not sent by other sites, and only with TLS if there is any. */
export class SessionCookies {
  constructor(
    private readonly request: FastifyRequest,
    private readonly reply: FastifyReply,
  ) {}

  /** @param stay whether the browser keeps the cookie when it is closed */
  setSession(value: string, stay: boolean): void {
    this.set(SESSION_COOKIES, value, stay ? LONGEST_SECONDS : undefined, 'strict');
  }

  endSession(): void {
    this.expire(SESSION_COOKIES);
  }

  /** The provider sends the browser back from its own site, so this cookie is `Lax`. */
  setBegun(value: string): void {
    this.set(BEGUN_COOKIES, value, SIGN_IN_SECONDS, 'lax');
  }

  /** Reads the cookie of a sign-in that has begun, and removes it, because it counts once. */
  takeBegun(): string {
    this.expire(BEGUN_COOKIES);
    return cookieOf(this.request, BEGUN_COOKIES) ?? '';
  }

  private set(
    [secure, plain]: CookieNames,
    value: string,
    maxAge: number | undefined,
    sameSite: 'strict' | 'lax',
  ): void {
    const { isSecure } = this.request;
    const name = isSecure ? secure : plain;
    this.add({ name, value, sameSite, ...(maxAge !== undefined && { maxAge }), secure: isSecure });
  }

  private expire(names: CookieNames): void {
    for (const name of names) {
      this.add({ name, value: '', sameSite: 'strict', maxAge: 0, secure: name.startsWith('__Host-') });
    }
  }

  private add(cookie: SetCookie): void {
    void this.reply.header('set-cookie', stringifySetCookie({ path: '/', httpOnly: true, ...cookie }));
  }
}
