/**
 * English words that say nothing about a text: the classic list of Lucene, and the words that questions are made of.
 * They would be most of the postings that a question reads; without them ranking is the same within noise. Words that
 * are often something else are kept (the month of May, type I).
 */
export const STOP_WORDS: ReadonlySet<string> = new Set([
  ...'a an and are as at be but by for if in into is it no not of on or such that the their then there'.split(
    ' ',
  ),
  ...'these they this to was will with'.split(' '),
  ...'what which who whom whose how when where why do does did has have had were been being from you he'.split(
    ' ',
  ),
  ...'she we his her its our your my them than can could should would about'.split(' '),
]);
