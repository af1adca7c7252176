/** Minimum length of a part of a compound, and of one part that relates two words alone. */
const LEAST_PART = 3;
const LEAST_ALONE = 5;
/** Letters that join the parts of a compound, such as the `s` of the German Urlaubstage. */
const JOINTS = ['', 's', 'e', 'n', 'es', 'en', 'er', 'o', 'i'];

/**
 * Whether two words have a common prefix of at least four letters that is at least three quarters of the longer word.
 */
export function sharesStem(one: string, other: string): boolean {
  const needed = Math.ceil(0.75 * Math.max(one.length, other.length));
  return needed >= 4 && one.slice(0, needed) === other.slice(0, needed) && other.length >= needed;
}

/**
 * Whether one word is a compound that begins or ends with the other, as in Urlaubstage and Urlaub, or vakantiedagen
 * and dagen.
 */
export function isPartOf(one: string, other: string): boolean {
  const [part, compound] = one.length < other.length ? [one, other] : [other, one];
  if (part.length < LEAST_ALONE || compound.length < part.length + LEAST_PART) return false;
  return compound.startsWith(part) || compound.endsWith(part);
}

/** Whether a word is a compound of two of the words: Urlaubstage of Urlaub and Tage. */
export function isCompoundOf(word: string, words: ReadonlySet<string>): boolean {
  for (let end = LEAST_PART; end <= word.length - LEAST_PART; end += 1) {
    if (!words.has(word.slice(0, end))) continue;
    for (const joint of JOINTS) {
      const rest = word.slice(end + joint.length);
      if (rest.length < LEAST_PART || word.slice(end, end + joint.length) !== joint) continue;
      for (const other of words) if (isInflected(rest, other)) return true;
    }
  }
  return false;
}

/** Whether two words differ only in their ending. A short word has an ending of one letter. */
function isInflected(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return sharesStem(one, other) || (long.startsWith(short) && long.length - short.length <= 1);
}

/**
 * The terms of a text, and the terms of a question that the text contains in another form: inflected, in a compound, or
 * as part of a compound.
 */
export function withRelated(terms: ReadonlySet<string>, asked: ReadonlySet<string>): ReadonlySet<string> {
  const related = Array.from(asked).filter((term) => !terms.has(term) && isRelated(term, terms));
  return related.length === 0 ? terms : new Set([...terms, ...related]);
}

function isRelated(term: string, terms: ReadonlySet<string>): boolean {
  if (term.length < LEAST_ALONE) return false;
  if (isCompoundOf(term, terms)) return true;
  for (const other of terms) if (sharesStem(term, other) || isPartOf(term, other)) return true;
  return false;
}
