import type { IncomingMessage } from 'node:http';

export const MEGABYTE = 1_024 * 1_024;

/** Bytes of the body that the head of a request announces; a body of unknown length counts as endless. */
export function announcedLength({ headers }: IncomingMessage): number {
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Infinity;
}

/** Whether the head of a request announces a body. */
export function hasBody(request: IncomingMessage): boolean {
  return announcedLength(request) > 0;
}
