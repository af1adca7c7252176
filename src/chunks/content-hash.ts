import { createHash } from 'node:crypto';

/** Returns the hexadecimal SHA-256 of a chunk's content in UTF-8. The database computes the same hash. */
export function contentHash(content: string): string {
  return createHash('sha256').update(content).digest('hex');
}
