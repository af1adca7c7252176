import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { RequestTimeout } from '../errors/index.js';
import { sendError } from './error.filter.js';
import { hasBody } from './request-body.js';

/** A body has to come at a kilobyte a second at least, looked at over a while: lines stall for moments. */
const WINDOW_MS = 15_000;
const MIN_BYTES = 15 * 1_024;

/**
 * Refuses bodies that come too slowly with 408 and closes their connection. There is no limit on the whole time: a large
 * file takes an hour on a slow line. What waits here to be read is not the client's slowness.
 */
export function refuseSlowBodies(fastify: FastifyInstance, windowMs = WINDOW_MS): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    if (hasBody(request.raw)) {
      watch(request.raw, windowMs, () => {
        void reply.header('connection', 'close');
        sendError(new RequestTimeout('The request body came too slowly'), request, reply);
      });
    }
    done();
  });
}

function watch(body: IncomingMessage, windowMs: number, refuse: () => void): void {
  const { socket } = body;
  let before = socket.bytesRead;
  const timer = setInterval(() => {
    const came = socket.bytesRead - before;
    before = socket.bytesRead;
    if (came >= MIN_BYTES || body.readableLength > 0) return;
    end();
    if (!body.complete) refuse();
  }, windowMs);
  const end = (): void => {
    clearInterval(timer);
  };
  body.once('end', end).once('close', end);
}
