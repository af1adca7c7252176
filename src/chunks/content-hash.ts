import { createHash } from 'node:crypto';

/** Returns the hexadecimal SHA-256 of a text in UTF-8, such as a chunk's content. The database computes the same hash. */
export function contentHash(content: string): string {
  return createHash('sha256').update(content).digest('hex');
}
