import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { LogController, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Settings } from '../config/settings.js';
import { printJson } from '../json/exact-json.js';
import { sendError } from './error.filter.js';
import { registerJsonBodies } from './json-body.js';
import { registerLingering } from './lingering.js';
import { requestIdOf } from './request-id.js';
import { logWhenOver } from './request-log.js';

const MEGABYTE = 1_024 * 1_024;

/** Ids, file names and folder paths stand in URLs, %-encoded. */
const MAX_PARAM_LENGTH = 8_192;

/** Fastify under Nest: ids of requests, limits, exact JSON in both directions, streamed uploads. */
export function createFastifyAdapter(settings: Settings, logger: Logger): FastifyAdapter {
  const bodyLimit = settings.MAX_BODY_MB * MEGABYTE;
  const adapter = new FastifyAdapter({
    loggerInstance: logger,
    genReqId: (request: IncomingMessage) => requestIdOf(request.headers),
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    bodyLimit,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH, ignoreTrailingSlash: true },
    forceCloseConnections: 'idle',
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => {
      void reply.header('x-request-id', request.id);
      sendError(error, request, reply);
    },
    clientErrorHandler: refuseMalformed,
    multipart: {
      // Who reads the form decides what becomes of a file that was cut: one of several may fail alone.
      throwFileSizeLimit: false,
      limits: {
        fileSize: settings.MAX_FILE_MB * MEGABYTE,
        fieldSize: bodyLimit,
        files: 1_000,
        fields: 1_000,
      },
    },
  });
  // The first of all hooks, so that answers of plugins (CORS preflights, for one) carry the id and are logged as well.
  adapter.setOnRequestHook((request, reply, done) => {
    void reply.header('x-request-id', request.id);
    logWhenOver(request, reply);
    done();
  });
  const fastify = adapter.getInstance();
  fastify.setReplySerializer((payload) => printJson(payload));
  registerLingering(fastify);
  registerJsonBodies(fastify, bodyLimit);
  return adapter;
}

/** Bytes that are not HTTP never become a request; they are answered here, in the shape of every other error. */
function refuseMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const [status, detail] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? ['431 Request Header Fields Too Large', 'The request headers are too large']
      : ['400 Bad Request', 'The request is malformed'];
  const body = JSON.stringify({ detail });
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\n` +
      `x-request-id: ${requestIdOf({})}\r\nconnection: close\r\n\r\n${body}`,
  );
}
