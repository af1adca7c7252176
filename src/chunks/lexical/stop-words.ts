/** English words that say nothing about a text: the classic list of Lucene and a few question words. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a an and are as at be but by for if in into is it no not of on or such that the their then there these they this
   to was will with`.split(/\s+/),
);
