import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

const VISIBLE_ASCII = /^[\x21-\x7e]{1,128}$/;

/** The caller's X-Request-Id when it is up to 128 visible characters of ASCII, a new one otherwise. */
export function requestIdOf(headers: IncomingHttpHeaders): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && VISIBLE_ASCII.test(given) ? given : randomUUID();
}
