import { parseCookie } from 'cookie';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Forbidden } from '../errors/index.js';
import type { ProxyIdentity } from './people/proxy-identity.js';

/** Names of a cookie: with TLS, and without it. */
export type CookieNames = readonly [secure: string, plain: string];

/** Names of the cookie with a browser's session. */
export const SESSION_COOKIES: CookieNames = ['__Host-lectern', 'lectern_session'];

const READING = ['GET', 'HEAD'];

/** With what a request says who sends it. */
export interface Credentials extends Sender {
  readonly authorization: string | undefined;
  /** Cookie of a browser in which a person is signed in. It counts only where neither a key nor a proxy says who sends. */
  readonly session: string | undefined;
  readonly proxy: ProxyIdentity | null;
  /** Address of the client. */
  readonly address: string;
}

/** What a browser says of the page that sends a request. */
interface Sender {
  readonly method: string;
  readonly host: string;
  readonly origin: string | undefined;
  /** `Sec-Fetch-Site`. */
  readonly site: string | undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether the client uses TLS, also if a proxy ends it. */
    readonly isSecure: boolean;
  }
}

/** @param publicUrl PUBLIC_URL */
export function tellSecureRequests(fastify: FastifyInstance, publicUrl: string | undefined): void {
  const isPublic = publicUrl?.startsWith('https:') === true;
  fastify.decorateRequest('isSecure', {
    getter() {
      return isPublic || this.protocol === 'https';
    },
  });
}

type Sent = Pick<FastifyRequest, 'headers' | 'host' | 'ip' | 'isSecure' | 'method' | 'proxyIdentity'>;

export function credentialsOf(request: Sent): Credentials {
  const { headers, host, ip, method, proxyIdentity } = request;
  const { authorization } = headers;
  const isNamed = authorization !== undefined || proxyIdentity !== null;
  return {
    authorization,
    session: isNamed ? undefined : sessionCookieOf(request),
    proxy: proxyIdentity,
    address: ip,
    method,
    host,
    origin: headers.origin,
    site: headers['sec-fetch-site'],
  };
}

export function sessionCookieOf(request: Pick<Sent, 'headers' | 'isSecure'>): string | undefined {
  return cookieOf(request, SESSION_COOKIES);
}

/** Reads a cookie under the one name that the service gives it. Programs without TLS can set others, also for TLS. */
export function cookieOf(
  { headers, isSecure }: Pick<Sent, 'headers' | 'isSecure'>,
  [secure, plain]: CookieNames,
): string | undefined {
  const given = parseCookie(headers.cookie ?? '')[isSecure ? secure : plain];
  return given === '' ? undefined : given;
}

/**
 * Checks that no page of another site may have sent a request. A browser adds cookies to it, and a proxy headers,
 * whoever sent it. Browsers send `Sec-Fetch-Site` to addresses with TLS and to this machine, and `Origin` with everything
 * that changes something.
 * @param publicUrl PUBLIC_URL
 * @throws Forbidden
 */
export function requireOwnPage(sender: Sender, publicUrl: string | undefined): void {
  if (isFromElsewhere(sender, publicUrl)) {
    throw new Forbidden('A page of another site may not use the sign-in of this browser');
  }
}

function isFromElsewhere({ method, host, origin, site }: Sender, publicUrl: string | undefined): boolean {
  const isReading = READING.includes(method);
  if (site !== undefined) return site !== 'same-origin' && !(site === 'none' && isReading);
  if (origin === undefined) return !isReading;
  const hosts = [host, ...(publicUrl === undefined ? [] : [new URL(publicUrl).host])];
  return !URL.canParse(origin) || !hosts.includes(new URL(origin).host);
}
