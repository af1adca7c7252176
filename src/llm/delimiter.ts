import { randomBytes } from 'node:crypto';

const freshKey = (): string => randomBytes(9).toString('base64url');

/**
 * A key that occurs in none of the texts. Each request has its own, so that no document can be written to imitate
 * the lines that set it apart.
 */
export function delimiterKey(texts: readonly string[], draw: () => string = freshKey): string {
  for (;;) {
    const key = draw();
    if (!texts.some((text) => text.includes(key))) return key;
  }
}
