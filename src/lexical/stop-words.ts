const words = (list: string): string[] => list.split(/\s+/);

/**
 * English words that the index leaves out: the classic list of Lucene, and the words that questions are made of. They
 * would be most of the postings that a question reads; without them ranking is the same within noise. Words that are
 * often something else are kept (the month of May, type I). Stored postings depend on this list.
 */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  words(`a an and are as at be but by for if in into is it no not of on or such that the their then there these they
    this to was will with what which who whom whose how when where why do does did has have had were been being from
    you he she we his her its our your my them than can could should would about`),
);

/** What says nothing either when a sentence is held against a question: how the question is put. */
export const FUNCTION_WORDS: ReadonlySet<string> = new Set([
  ...STOP_WORDS,
  ...words(`above after again all also am any because before below between both doing done down during each either else
    ever every few further get gets give given having here hers him i itself just know let like many may me might mine
    more most much must need nor now off once only other ours out over own please same shall so some tell theirs those
    through too under until up upon us very want whether while within without yours`),
]);

/** Chinese and Japanese function and question words: pairs of characters do not reach across them. */
export const FUNCTION_PHRASE =
  /什么时候|多长时间|多少钱|为什么|怎么样|什么|多少|多久|多长|怎么|怎样|如何|哪里|哪个|哪些|是否|可以|需要|请问|[的是了吗呢在和与为谁]|何年|何時|何日|何か月|何/gu;
