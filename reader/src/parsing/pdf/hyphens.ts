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

/** How words are written elsewhere in a document. */
export interface Spelling {
  /** Number of times that a word occurs within a line. */
  readonly count: (word: string) => number;
  /** The hyphen that breaks words. Absent: `-`, like the hyphen that belongs to a word. */
  readonly breakMark?: string | undefined;
}

const UNKNOWN: Spelling = { count: () => 0 };

/**
 * Joins words that are broken at the ends of lines. The line ends after the joined word. A hyphen that belongs to the word
 * stays (`co-operative`, `Saint-Pierre`, `2019-20`). Where both spellings are possible, the rest of the document decides.
 */
export function withWordsJoined(text: string, spelling: Spelling): string {
  const joined = text.replace(
    BROKEN,
    (whole, first: string, hyphen: string, second: string, rest: string) => {
      const word = wholeWord(first, hyphen, second, spelling);
      return word === undefined ? whole : `${word}${rest}\n`;
    },
  );
  return joined.replaceAll('\u00ad', '');
}

export function joinedLines(above: string, below: string): string {
  return withWordsJoined(`${above}\n${below}`, UNKNOWN).replaceAll('\n', ' ').trim();
}

/** Counts the words that broken words of a document may be. Reads the texts twice, and keeps only these words. */
export function spellingIn(texts: readonly string[]): Spelling {
  const counts = new Map<string, number>();
  const breaks = new Map<string, number>();
  for (const text of texts) {
    for (const [, first = '', hyphen = '', second = ''] of text.matchAll(BROKEN)) {
      breaks.set(hyphen, (breaks.get(hyphen) ?? 0) + 1);
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
  return { count: (word) => counts.get(word) ?? 0, breakMark: breakMarkOf(breaks, texts) };
}

/** Software that breaks words with another hyphen than `-` leaves `-` to words such as `long-term`. */
function breakMarkOf(breaks: ReadonlyMap<string, number>, texts: readonly string[]): string | undefined {
  const typed = breaks.get('-') ?? 0;
  const mark = ['\u00ad', '\u2010'].find((hyphen) => (breaks.get(hyphen) ?? 0) > typed);
  const isTyped = (hyphen: string): boolean =>
    texts.some((text) => new RegExp(`\\p{L}${hyphen}\\p{L}`, 'u').test(text));
  return mark !== undefined && isTyped('-') && !isTyped(mark) ? mark : undefined;
}

function spellingsOf(first: string, second: string): readonly [string, string] {
  const start = first.split(/[./@_-]/).at(-1) ?? first;
  return [`${start}${second}`.toLowerCase(), `${start}-${second}`.toLowerCase()];
}

/** The word without its line end; undefined if the parts are two words. */
function wholeWord(
  first: string,
  hyphen: string,
  second: string,
  { count, breakMark }: Spelling,
): string | undefined {
  const joined = first + second;
  const hyphenated = `${first}-${second}`;
  if (hyphen === '\u00ad' || hyphen === breakMark) return joined;
  if (CONJUNCTIONS.has(second.toLowerCase())) return undefined;
  if (breakMark !== undefined) return hyphenated;
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
