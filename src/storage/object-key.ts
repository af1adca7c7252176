import { createHash } from 'node:crypto';

/** File systems end names at 255 bytes. */
const MAX_SEGMENT = 200;
const KEPT_OF_LONG = 140;

const SEGMENT = /^[a-z0-9_-][a-z0-9._-]*$/;

/**
 * A key of one segment for each part: `objectKey(appId, documentId, filename)`. Different parts give different keys on
 * every store, those that ignore letter case included: what is not a lower-case letter, a digit, `.` or `-` is written
 * as `_` and its bytes in hexadecimal, and a leading dot too, so that no part means another folder.
 */
export function objectKey(...parts: readonly string[]): string {
  return parts.map(segment).join('/');
}

function segment(part: string): string {
  if (part === '') throw new Error('A part of an object key is empty');
  const encoded = part.replace(/^\.|[^a-z0-9.-]/gsu, (character) =>
    Array.from(Buffer.from(character), (byte) => `_${byte.toString(16).padStart(2, '0')}`).join(''),
  );
  if (encoded.length <= MAX_SEGMENT) return encoded;
  return `${encoded.slice(0, KEPT_OF_LONG)}_h${createHash('sha256').update(part).digest('hex').slice(0, 32)}`;
}

/**
 * Refuses a key that `objectKey` cannot have made, before it gets to a file system.
 * @throws Error, since keys are never taken from a request.
 */
export function checkedKey(key: string): string {
  const segments = key.split('/');
  if (segments.every((part) => SEGMENT.test(part) && part.length <= MAX_SEGMENT)) return key;
  throw new Error('Not an object key');
}
