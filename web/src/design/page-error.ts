import type { Key } from '../language/words.js';

/** A failure that the page describes in the language of the reader. */
export class PageError extends Error {
  constructor(readonly key: Key) {
    super(key);
    this.name = 'PageError';
  }
}
