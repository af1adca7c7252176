import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { LogController, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Settings } from '../config/settings.js';
import { sendError } from './error.filter.js';
import { MEGABYTE } from './bodies.js';
import { requestIdOf } from './request-observation.js';
import { ROUTER_OPTIONS, withFolderInOneSegment } from './routes.js';

/** Maximum time in which the head of a request must arrive. Bodies have a minimum rate instead (bodies.ts). */
const HEADERS_TIMEOUT_MS = 30_000;

/** Creates the Fastify adapter of Nest: request ids, limits, and responses to malformed HTTP. */
export function createFastifyAdapter(settings: Settings, logger: Logger): FastifyAdapter {
  return new FastifyAdapter({
    loggerInstance: logger,
    genReqId: (request: IncomingMessage) => requestIdOf(request.headers),
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    routerOptions: ROUTER_OPTIONS,
    trustProxy: settings.TRUST_PROXY.length > 0 && [...settings.TRUST_PROXY],
    rewriteUrl: withFolderInOneSegment,
    forceCloseConnections: 'idle',
    return503OnClosing: false, // draining.ts sends this response, in the common error format
    http: { headersTimeout: HEADERS_TIMEOUT_MS },
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => {
      void reply.header('x-request-id', request.id);
      sendError(error, request, reply);
    },
    clientErrorHandler: refuseMalformed,
    multipart: {
      // The code that reads the form rejects a file that is too large, but not the other files of the form.
      throwFileSizeLimit: false,
      limits: {
        fileSize: settings.MAX_FILE_MB * MEGABYTE,
        fieldSize: settings.MAX_BODY_MB * MEGABYTE,
        files: 1_000,
        fields: 1_000,
      },
    },
  });
}

const CLIENT_ERRORS: Readonly<Record<string, readonly [status: string, detail: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The request headers are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request headers arrived too slowly'],
};

/**
 * Responds in the common error format to bytes that are not valid HTTP. Node rejects such bytes before any hook runs.
 */
function refuseMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const [status, detail] = CLIENT_ERRORS[error.code ?? ''] ?? ['400 Bad Request', 'The request is malformed'];
  const body = JSON.stringify({ detail });
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\n` +
      `x-request-id: ${requestIdOf({})}\r\nconnection: close\r\n\r\n${body}`,
  );
}
