import type { FastifyInstance } from 'fastify';
import { parse as parseWithPositions } from 'lossless-json';
import { Invalid } from '../errors/index.js';
import { parseJson } from '../json/exact-json.js';

const JSON_TYPES = ['application/json', /^application\/[\w.-]+\+json *(?:;|$)/];

/**
 * JSON bodies keep every digit of their numbers, `__proto__` is an ordinary key, and an empty body is no body: clients
 * send `Content-Type: application/json` without one. Every other content type is 415, but for what a route declares.
 */
export function registerJsonBodies(fastify: FastifyInstance, bodyLimit: number): void {
  fastify.removeAllContentTypeParsers();
  for (const type of JSON_TYPES) {
    fastify.addContentTypeParser(type, { parseAs: 'buffer', bodyLimit }, (_request, body, done) => {
      try {
        done(null, body.length === 0 ? undefined : parseBody(body as Buffer));
      } catch (error) {
        done(error as Error);
      }
    });
  }
}

function parseBody(body: Buffer): unknown {
  const text = decode(body);
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw malformed(positionOf(error, text));
    if (error instanceof RangeError) throw malformed(0); // nested deeper than the stack
    throw error;
  }
}

function decode(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw malformed(body.toString('utf8').indexOf('\uFFFD'));
  }
}

function malformed(position: number): Invalid {
  return Invalid.at(['body', position], 'JSON decode error', 'json_invalid');
}

/** V8 leaves the position out of some messages; then a slower parser finds it. */
function positionOf(error: SyntaxError, text: string): number {
  const stated = / at position (\d+)/.exec(error.message)?.[1];
  if (stated !== undefined) return Number(stated);
  if (error.message.startsWith('Unexpected end')) return text.length;
  try {
    parseWithPositions(text);
  } catch (reason) {
    const found = reason instanceof SyntaxError ? / at position (\d+)/.exec(reason.message)?.[1] : undefined;
    if (found !== undefined) return Number(found);
  }
  return 0;
}
