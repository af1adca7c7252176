import { parseCookie } from 'cookie';
import type { FastifyRequest } from 'fastify';
import { Forbidden } from '../errors/index.js';
import type { ProxyIdentity } from './people/proxy-identity.js';

/** Names of the cookie with a browser's session: with TLS, and without it. */
export const SESSION_COOKIES = ['__Host-lectern', 'lectern_session'] as const;

const READING = ['GET', 'HEAD'];

/** With what a request says who sends it. */
export interface Credentials extends Sender {
  readonly authorization: string | undefined;
  /** Cookie of a browser in which a person is signed in. */
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

type Sent = Pick<FastifyRequest, 'headers' | 'host' | 'ip' | 'method' | 'proxyIdentity'>;

export function credentialsOf({ headers, host, ip, method, proxyIdentity }: Sent): Credentials {
  return {
    authorization: headers.authorization,
    session: sessionCookieOf(headers.cookie),
    proxy: proxyIdentity,
    address: ip,
    method,
    host,
    origin: headers.origin,
    site: headers['sec-fetch-site'],
  };
}

export function sessionCookieOf(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const cookies = parseCookie(header);
  const given = SESSION_COOKIES.map((name) => cookies[name]).find((value) => value !== undefined);
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
