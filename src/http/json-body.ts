import { isUtf8 } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import pLimit from 'p-limit';
import { Invalid } from '../errors/index.js';
import { JsonBoundError, JsonSyntaxError, readJson } from '../json/read-json.js';
import { LONG_BYTES } from './bodies.js';

const JSON_TYPES = ['application/json', /^application\/[\w.-]+\+json *(?:;|$)/];

/** Decoding as much takes about a millisecond. */
const BYTES_AT_ONCE = 256 * 1_024;

/**
 * JSON bodies keep every digit of their numbers, `__proto__` is an ordinary key, and an empty body is no body: clients
 * send `Content-Type: application/json` without one. Every other content type is 415, but for what a route declares.
 */
export function registerJsonBodies(fastify: FastifyInstance): void {
  const oneByOne = pLimit(1); // text and values are in memory beside the bytes meanwhile
  fastify.removeAllContentTypeParsers();
  const parser = (_request: FastifyRequest, body: Buffer): Promise<unknown> =>
    body.length > LONG_BYTES ? oneByOne(() => readBody(body)) : readBody(body);
  for (const type of JSON_TYPES) fastify.addContentTypeParser(type, { parseAs: 'buffer' }, parser);
}

async function readBody(body: Buffer): Promise<unknown> {
  if (body.length === 0) return undefined;
  const text = await decode(body);
  try {
    return await readJson(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw malformed(error.position);
    if (error instanceof JsonBoundError) {
      throw Invalid.at(['body', error.position], `Value error, ${error.message}`);
    }
    throw error;
  }
}

/** A piece at a time, each of whole characters. A byte order mark in front is none of the text. */
async function decode(body: Buffer): Promise<string> {
  let text = '';
  for (let start = 0; start < body.length;) {
    if (start > 0) await setImmediate();
    const end = wholeCharactersEnd(body, start + BYTES_AT_ONCE);
    const piece = body.subarray(start, end);
    const decoded = piece.toString('utf8');
    if (!isUtf8(piece)) throw malformed(text.length + decoded.indexOf('\uFFFD'));
    text += start === 0 && decoded.startsWith('\uFEFF') ? decoded.slice(1) : decoded;
    start = end;
  }
  return text;
}

/** The last place up to `end` that is not within a character; in what is not UTF-8, one a few bytes before. */
function wholeCharactersEnd(body: Buffer, end: number): number {
  const isContinuation = (at: number): boolean => ((body[at] ?? 0) & 0xc0) === 0x80;
  let at = Math.min(end, body.length);
  for (let back = 0; back < 3 && isContinuation(at); back += 1) at -= 1;
  return at;
}

function malformed(position: number): Invalid {
  return Invalid.at(['body', position], 'JSON decode error', 'json_invalid');
}
