import { createHash } from 'node:crypto';

/** Maximum length of a segment; file systems limit names to 255 bytes. */
const MAX_SEGMENT = 200;
const KEPT_OF_LONG = 140;

const SEGMENT = /^[a-z0-9_-][a-z0-9._-]*$/;

/**
 * Builds a key with one segment per part: `objectKey(appId, documentId, filename)`. Different parts give different keys
 * on every store, including case-insensitive ones. Characters other than lower-case letters, digits, `.` and `-` become
 * `_` followed by their bytes in hexadecimal. A leading dot is encoded in the same way, so that no part refers to
 * another folder.
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
 * Rejects a key that `objectKey` cannot have produced, before it reaches a file system.
 * @throws Error instead of a client error, because a key never comes from a request.
 */
export function checkedKey(key: string): string {
  if (isObjectKey(key)) return key;
  throw new Error('Not an object key');
}

/** Tells whether `objectKey` can have produced a key. */
export function isObjectKey(key: string): boolean {
  return key.split('/').every((part) => SEGMENT.test(part) && part.length <= MAX_SEGMENT);
}
