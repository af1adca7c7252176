/** Values of a type found in a sentence, in the order they stand. */

export interface FoundValue<T> {
  readonly value: T;
  /** Offset in the sentence. */
  readonly at: number;
}

const NUMBER_WORDS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    zero: 0,
    one: 1,
    two: 2,
    three: 3,
    four: 4,
    five: 5,
    six: 6,
    seven: 7,
    eight: 8,
    nine: 9,
    ten: 10,
    eleven: 11,
    twelve: 12,
    thirteen: 13,
    fourteen: 14,
    fifteen: 15,
    sixteen: 16,
    seventeen: 17,
    eighteen: 18,
    nineteen: 19,
    twenty: 20,
    thirty: 30,
    forty: 40,
    fifty: 50,
    sixty: 60,
    seventy: 70,
    eighty: 80,
    ninety: 90,
    一: 1,
    二: 2,
    两: 2,
    三: 3,
    四: 4,
    五: 5,
    六: 6,
    七: 7,
    八: 8,
    九: 9,
    十: 10,
  }),
);

const NUMBER =
  /(?<![\p{L}\d.,-])[-−]?(?:\d{1,3}(?:[,\u202f' ]\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?)(?![\d-]*[\p{L}]*-?\d)|(?<!\p{L})(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?!\p{L})|[一二两三四五六七八九十](?=[\p{sc=Han}])/giu;

/** Numbers in digits (`1,200.5`, `-3`) or words; parts of dates, versions and identifiers are not numbers. */
export function numbersIn(sentence: string): FoundValue<number>[] {
  return Array.from(sentence.matchAll(NUMBER), (match) => {
    const text = match[0].toLowerCase();
    const value = NUMBER_WORDS.get(text) ?? Number(text.replace('−', '-').replace(/[,\u202f' ]/g, ''));
    return { value, at: match.index };
  });
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const MONTH =
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?';

const DATES: readonly (readonly [RegExp, (parts: readonly string[]) => readonly (string | number)[]])[] = [
  [/\b(\d{4})-(\d{2})-(\d{2})\b/g, ([y = '', m = '', d = '']) => [y, Number(m), Number(d)]],
  [
    /(\d{4})\s*年\s*(\d{1,2})\s*月\s*(\d{1,2})\s*日/g,
    ([y = '', m = '', d = '']) => [y, Number(m), Number(d)],
  ],
  [
    new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th|\\.)?\\s+(?:of\\s+)?${MONTH}\\s*,?\\s+(\\d{4})\\b`, 'gi'),
    ([d = '', m = '', y = '']) => [y, monthOf(m), Number(d)],
  ],
  [
    new RegExp(`\\b${MONTH}\\s+(\\d{1,2})(?:st|nd|rd|th)?\\s*,?\\s+(\\d{4})\\b`, 'gi'),
    ([m = '', d = '', y = '']) => [y, monthOf(m), Number(d)],
  ],
  [/\b(\d{1,2})\.(\d{1,2})\.(\d{4})\b/g, ([d = '', m = '', y = '']) => [y, Number(m), Number(d)]],
];

function monthOf(name: string): number {
  return MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1;
}

/** Calendar dates as `YYYY-MM-DD`; forms in which day and month could be mistaken for each other are left out. */
export function datesIn(sentence: string): FoundValue<string>[] {
  return DATES.flatMap(([pattern, read]) =>
    Array.from(sentence.matchAll(pattern), (match) => {
      const [year = '', month = 0, day = 0] = read(match.slice(1));
      return {
        value: `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`,
        at: match.index,
      };
    }),
  )
    .filter(({ value }) => isCalendarDate(value))
    .sort((a, b) => a.at - b.at);
}

function isCalendarDate(value: string): boolean {
  const date = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value);
}

const FORMS: Readonly<Record<string, RegExp>> = {
  email: /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g,
  uri: /\bhttps?:\/\/[^\s<>"')\]]+[^\s<>"')\].,;:!?]/g,
  url: /\bhttps?:\/\/[^\s<>"')\]]+[^\s<>"')\].,;:!?]/g,
  uuid: /\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi,
  ipv4: /\b(?:\d{1,3}\.){3}\d{1,3}\b/g,
  // A date without its time and zone is no moment.
  'date-time': /\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})/gi,
  time: /\b([01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?\b/g,
  phone: /\+?\d[\d ()/-]{5,}\d/g,
};

/** Strings of a known format (`email`, `uri`, `uuid`, ...); null for a format that has no pattern here. */
export function formattedIn(sentence: string, format: string): FoundValue<string>[] | null {
  if (format === 'date') return datesIn(sentence);
  const pattern = FORMS[format];
  if (pattern === undefined) return null;
  return Array.from(sentence.matchAll(pattern), (match) => ({ value: match[0], at: match.index }));
}

const NEGATION =
  /\b(?:not|no|never|cannot|can't|don't|doesn't|isn't|aren't|won't|without|neither|nor|none|excluded?|prohibited|forbidden)\b|不|没有|禁止|ません|ない/i;

const CLAUSE_ENDS = /[,;:，；—–]|\b(?:and|but|while|whereas|although)\b/gi;

/**
 * Whether a sentence affirms what stands at `place`: false when its clause has a negation, true when that comes after
 * the clause or nowhere; null when it comes before it and may reach that far ("not waterproof, dustproof or ...").
 */
export function affirms(sentence: string, place: number): boolean | null {
  const ends = Array.from(sentence.matchAll(CLAUSE_ENDS), ({ index }) => index);
  const start = ends.findLast((end) => end < place) ?? 0;
  const end = ends.find((one) => one >= place) ?? sentence.length;
  if (NEGATION.test(sentence.slice(start, end))) return false;
  return NEGATION.test(sentence.slice(0, start)) ? null : true;
}

/** Members of an enumeration in a sentence: `red, green and blue` after a colon or verb; null when it has none. */
export function enumerationIn(sentence: string): string[] | null {
  const body = sentence.replace(/^[^:：]*[:：]\s*/, '');
  const listed =
    body === sentence
      ? /\b(?:are|is|include|includes|including|in|supports?|available in)\s+(.+)$/i.exec(sentence)?.[1]
      : body;
  const members = (listed ?? '')
    .replace(/[.。!]$/, '')
    .split(/\s*(?:[,;，；、]|\band\b|\bor\b|和|或)\s*/i)
    .map((member) => member.trim())
    .filter((member) => member !== '');
  return members.length > 1 && members.every((member) => member.length <= 60) ? members : null;
}
