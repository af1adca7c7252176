import { Readable } from 'node:stream';
import { applyDecorators } from '@nestjs/common';
import { ApiOkResponse, ApiResponse } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { NotFound } from '../../errors/index.js';
import { entityTagOf, namesTag } from '../../http/entity-tag.js';
import { requestedRange } from '../../storage/byte-range.js';
import { deliveryHeaders } from '../../storage/delivery-headers.js';
import { throwIfAborted } from '../../request/request-context.js';
import { FileReplaced, type OutgoingFile } from './file-contents.js';

const BINARY = { schema: { type: 'string', format: 'binary' } };

/**
 * Documents binary content. The first media type is for client generators. The second stands for the actual type of the
 * file.
 */
const BYTES = {
  description: 'The file.',
  content: { 'application/octet-stream': BINARY, '*/*': BINARY },
};

/** Adds the responses of {@link sendFile} to the OpenAPI document. */
export const ApiFileResponses = (): MethodDecorator =>
  applyDecorators(
    ApiOkResponse(BYTES),
    ApiResponse({ ...BYTES, status: 206, description: 'The bytes requested by `Range`.' }),
    ApiResponse({ status: 304, description: 'Not modified: `If-None-Match` matches the file.' }),
  );

/**
 * Streams the file of a document; supports Range and HEAD.
 *
 * @param find returns the current file; it is called again if the file is replaced before the first byte is sent
 * @throws NotFound if the file is missing; Unavailable if the object store is down; errors of `find`.
 */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  find: () => Promise<OutgoingFile>,
): Promise<void> {
  for (;;) {
    try {
      await send(request, reply, await find());
      return;
    } catch (error) {
      if (!(error instanceof FileReplaced)) throw error;
      throwIfAborted();
    }
  }
}

/** Starts reading before it sets headers, because an error response must not have the headers of the file. */
async function send(request: FastifyRequest, reply: FastifyReply, file: OutgoingFile): Promise<void> {
  const size = await file.size();
  if (size === undefined) throw new NotFound('The file does not exist');
  const tag = entityTagOf(file.id); // an id never refers to other bytes
  const headers = {
    ...deliveryHeaders(file.contentType, file.filename),
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-cache',
    etag: tag,
  };
  if (namesTag(request.headers['if-none-match'], tag)) {
    await reply.headers(headers).status(304).send();
    return;
  }
  const range = isCurrent(request.headers['if-range'], tag)
    ? requestedRange(request.headers.range, size)
    : 'whole';
  if (range === 'unsatisfiable') return refuseRange(reply.headers(headers), size);
  const part = range === 'whole' ? undefined : range;
  const length = part === undefined ? size : part.end - part.start + 1;
  const isEmpty = request.method === 'HEAD' || length === 0;
  const content = isEmpty ? Readable.from([]) : await file.read(part);
  void reply.headers(headers).header('content-length', length);
  if (part !== undefined) {
    void reply.status(206).header('content-range', `bytes ${part.start}-${part.end}/${size}`);
  }
  await reply.send(content);
}

/** Sends bytes that are in memory. Sends a 304 if `If-None-Match` contains their entity tag. */
export async function sendBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  file: { readonly bytes: Uint8Array; readonly contentType: string; readonly filename: string },
): Promise<void> {
  const tag = entityTagOf(file.bytes);
  void reply.headers({
    ...deliveryHeaders(file.contentType, file.filename),
    'cache-control': 'private, no-cache',
    etag: tag,
  });
  if (namesTag(request.headers['if-none-match'], tag)) await reply.status(304).send();
  else await reply.send(Buffer.from(file.bytes.buffer, file.bytes.byteOffset, file.bytes.byteLength));
}

/**
 * Whether `If-Range` contains the entity tag of the current file. A date never matches, because dates are not precise
 * enough.
 */
function isCurrent(ifRange: string | string[] | undefined, tag: string): boolean {
  return ifRange === undefined || ifRange === tag;
}

async function refuseRange(reply: FastifyReply, size: number): Promise<void> {
  void reply
    .status(416)
    .removeHeader('content-disposition')
    .header('content-range', `bytes */${size}`)
    .type('application/json; charset=utf-8');
  await reply.send({ detail: `The range must be a single range within the ${size} bytes of the file` });
}
