/** A word that is broken at the end of a line: first part, hyphen, second part, and what follows it. */
const BROKEN =
  /(?<![\p{L}\p{M}\p{N}])([\p{L}\p{M}\p{N}][\p{L}\p{M}\p{N}'’./@_-]*)([-\u2010\u00ad])[ ]?\n+([\p{L}\p{M}\p{N}][\p{L}\p{M}'’]*)([^\s]*)[ ]?/gu;

/** Second parts that follow a hanging hyphen: `Nord- und Ostsee`, `short- and long-term`. */
const CONJUNCTIONS = new Set(
  'and or to nor und oder bzw sowie bis et ou y e o u och eller og en of of- ed'.split(' '),
);

/** First parts that keep their hyphen: `self-employed`, `non-profit`, `twenty-one`. */
const HYPHENATED =
  /^(?:self|non|well|ex|e|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|one|two|three|four|five|six|seven|eight|nine|ten|cross|half|quasi|vice|all)$/iu;

/** Prefixes that keep their hyphen before the same vowel: `co-operative`, `re-elect`, `anti-icing`. */
const SAME_VOWEL = /^(?:co-o|re-e|pre-e|anti-i|semi-i|de-e|ultra-a|intra-a|micro-o)/iu;

/** Counts words of a document, to find how a broken word is written elsewhere. */
export type WordCount = (word: string) => number;

/**
 * Joins words that are broken at the ends of lines. The line ends after the joined word. A hyphen that belongs to the word
 * stays (`co-operative`, `Saint-Pierre`, `2019-20`). Where both spellings are possible, the rest of the document decides.
 */
export function withWordsJoined(text: string, count: WordCount): string {
  return text.replace(BROKEN, (whole, first: string, hyphen: string, second: string, rest: string) => {
    const word = wholeWord(first, hyphen, second, count);
    return word === undefined ? whole : `${word}${rest}\n`;
  });
}

export function joinedLines(above: string, below: string): string {
  return withWordsJoined(`${above}\n${below}`, () => 0)
    .replaceAll('\n', ' ')
    .trim();
}

/** Counts the words that broken words of a document may be. Reads the texts twice, and keeps only these words. */
export function countWords(texts: readonly string[]): WordCount {
  const counts = new Map<string, number>();
  for (const text of texts) {
    for (const [, first = '', , second = ''] of text.matchAll(BROKEN)) {
      for (const spelling of spellingsOf(first, second)) counts.set(spelling, 0);
    }
  }
  if (counts.size > 0) {
    for (const text of texts) {
      for (const [word] of text.matchAll(/[\p{L}\p{M}\p{N}'’]+(?:[-\u2010][\p{L}\p{M}\p{N}'’]+)*/gu)) {
        const spelling = word.toLowerCase().replaceAll('\u2010', '-');
        const known = counts.get(spelling);
        if (known !== undefined) counts.set(spelling, known + 1);
      }
    }
  }
  return (word) => counts.get(word) ?? 0;
}

function spellingsOf(first: string, second: string): readonly [string, string] {
  const start = first.split(/[./@_-]/).at(-1) ?? first;
  return [`${start}${second}`.toLowerCase(), `${start}-${second}`.toLowerCase()];
}

/** The word without its line end; undefined if the parts are two words. */
function wholeWord(first: string, hyphen: string, second: string, count: WordCount): string | undefined {
  const joined = first + second;
  const hyphenated = `${first}-${second}`;
  if (hyphen === '\u00ad') return joined;
  if (CONJUNCTIONS.has(second.toLowerCase())) return undefined;
  const isLetters = /^[\p{L}\p{M}'’-]+$/u.test(first) && /^[\p{L}\p{M}'’]+$/u.test(second);
  if (!isLetters) return hyphenated; // numbers, addresses, identifiers
  const isCapital = /^\p{Lu}/u.test(second);
  if (isCapital && !/^[\p{Lu}\p{M}'’-]{2,}$/u.test(first)) return hyphenated;
  const [asOne, asTwo] = spellingsOf(first, second);
  if (count(asOne) !== count(asTwo)) return count(asOne) > count(asTwo) ? joined : hyphenated;
  const start = first.split('-').at(-1) ?? first;
  const isKept = start.length < 2 || HYPHENATED.test(start) || SAME_VOWEL.test(`${start}-${second}`);
  return isKept || first.includes('-') ? hyphenated : joined;
}
