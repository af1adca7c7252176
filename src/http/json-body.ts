import { isUtf8 } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import pLimit from 'p-limit';
import { Invalid } from '../errors/index.js';
import { JsonBoundError, JsonSyntaxError, readJson } from '../json/read-json.js';
import { LONG_BYTES } from './bodies.js';

const JSON_TYPES = ['application/json', /^application\/[\w.-]+\+json *(?:;|$)/];

/** Number of bytes that are decoded before the event loop runs again. Decoding them takes about 1 ms. */
const BYTES_AT_ONCE = 256 * 1_024;

/**
 * Parses JSON bodies. Numbers keep all digits, and `__proto__` is an ordinary key. An empty body counts as no body,
 * because some clients send `Content-Type: application/json` without a body. Other content types are rejected with 415
 * unless the route declares them.
 */
export function registerJsonBodies(fastify: FastifyInstance): void {
  const oneByOne = pLimit(1); // parses one long body at a time, because its bytes, text and values are in memory together
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

/** Decodes UTF-8 in pieces that end between characters. Drops a byte order mark. */
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

/**
 * Returns the last boundary between characters that is not after `end`. In invalid UTF-8, returns a position at most
 * three bytes before `end`.
 */
function wholeCharactersEnd(body: Buffer, end: number): number {
  const isContinuation = (at: number): boolean => ((body[at] ?? 0) & 0xc0) === 0x80;
  let at = Math.min(end, body.length);
  for (let back = 0; back < 3 && isContinuation(at); back += 1) at -= 1;
  return at;
}

function malformed(position: number): Invalid {
  return Invalid.at(['body', position], 'JSON decode error', 'json_invalid');
}
