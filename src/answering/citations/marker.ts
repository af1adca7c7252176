/**
 * The grammar of citation markers. The prompt asks for `[[1]]`; models also write
 *
 * | Spelling | Examples |
 * |---|---|
 * | several sources | `[[1, 3]]`, `[[1 und 2]]`, `[[1、2]]`, `[[1]; [2]]`, `[[1-3]]` |
 * | other digits and brackets | `[[１]]`, `[[١]]`, `［1］`, `【1】`, `⟦1⟧` |
 * | a word before the number | `[Document 1]`, `[[Quelle 1]]`, `【来源1】` |
 * | a page after the number | `[[1, page 3]]`, `[[2, S. 3]]`, `[[1, 第3页]]` |
 * | a dagger | `【1†source】`, `【1:0†source】` |
 * | one bracket | `[1]`, `[1-2]` |
 * | a label | `[manual.pdf, page 3]` |
 *
 * This file tells what a bracket says. Whether a bracket at its place is a marker also depends on the text around it
 * (`surroundings.ts`) and on the sources of the answer (`citations.ts`).
 */

/** A source that a marker names by its number. */
export interface NumberedSource {
  readonly number: number;
  /** The page that the marker names; absent if it names none. */
  readonly page?: number;
}

/** Result of reading a bracket. */
export type Bracket =
  /** No marker: the character is plain text. */
  | { readonly kind: 'text' }
  /** More text is needed to decide. */
  | { readonly kind: 'unfinished' }
  | {
      readonly kind: 'numbers';
      readonly length: number;
      readonly sources: readonly NumberedSource[];
      /**
       * `asked`: two brackets, or a dagger; `nested`: brackets in brackets, which may also be a matrix; `worded`: one
       * bracket and a word such as "source"; `bare`: one bracket and numbers only.
       */
      readonly form: 'asked' | 'nested' | 'worded' | 'bare';
    }
  /**
   * Any other text in brackets, which may be a label such as `manual.pdf, page 3`. `isOurs`: a file name with a page, as
   * the service itself writes its labels.
   */
  | { readonly kind: 'label'; readonly length: number; readonly label: string; readonly isOurs: boolean };

const TEXT: Bracket = { kind: 'text' };
const UNFINISHED: Bracket = { kind: 'unfinished' };

/** Characters that may open a marker, for a character class of a regular expression. */
export const OPENERS = '[［【〔⟦〚';
const PAIRED = '[［【';
const WHITE = '⟦〚';
const CLOSING = '\\]］】〕';

/** Maximum length of the content of a marker, in characters. A file name and a page fit. */
const MAX_LENGTH = 320;

/** Reads the bracket at `at`. @param whole whether `text` is complete */
export function readBracket(text: string, at: number, whole: boolean): Bracket {
  const rest = text.slice(at, at + MAX_LENGTH + 8);
  const [first = '', second = ''] = rest;
  if (WHITE.includes(first)) return doubled(rest, 1, /[⟧〛]/, whole);
  if (!PAIRED.includes(first)) return single(rest, whole);
  if (second === '' && !whole) return UNFINISHED;
  return second !== '' && PAIRED.includes(second)
    ? doubled(rest, 2, /[\]］】]{2}/, whole)
    : single(rest, whole);
}

/** @param opening number of opening characters, which is also the number of closing characters */
function doubled(rest: string, opening: number, closing: RegExp, whole: boolean): Bracket {
  const inner = rest.slice(opening, opening + MAX_LENGTH);
  const line = /\n/.exec(inner)?.index ?? inner.length;
  const end = closing.exec(inner.slice(0, line + 1))?.index ?? -1;
  if (end === -1) {
    if (line < inner.length || inner.length === MAX_LENGTH) return TEXT;
    if (!whole) return UNFINISHED;
    return CUT_OFF.test(inAscii(inner))
      ? { kind: 'numbers', length: rest.length, form: 'asked', sources: [] }
      : TEXT;
  }
  const length = end + 2 * opening;
  const body = inner.slice(0, end);
  const parts = body.split(NESTED);
  const read = parts.map(readNumbers);
  if (read.every((part) => part !== null)) {
    const isMatrix = parts.length > 1 && read.some(({ sources }) => sources.length !== 1);
    if (isMatrix) return TEXT;
    const form = parts.length > 1 ? 'nested' : 'asked';
    return { kind: 'numbers', length, form, sources: read.flatMap(({ sources }) => sources) };
  }
  return labelled(body, length);
}

function single(rest: string, whole: boolean): Bracket {
  const length = rest.slice(1, 1 + MAX_LENGTH).search(END_OF_BODY);
  const end = length === -1 ? Math.min(rest.length, 1 + MAX_LENGTH) : 1 + length;
  const stop = rest[end];
  if (stop === undefined) return whole || end > MAX_LENGTH ? TEXT : UNFINISHED;
  if (!CLOSER.test(stop)) return TEXT;
  const body = rest.slice(1, end);
  const dagger = DAGGER.exec(inAscii(body));
  if (dagger !== null) {
    const given: (string | undefined)[] = dagger.slice(1);
    const numbers = given.flatMap((number) => (number === undefined ? [] : { number: Number(number) }));
    return { kind: 'numbers', length: end + 1, form: 'asked', sources: numbers };
  }
  const read = readNumbers(body);
  if (read === null) return labelled(body, end + 1);
  return { kind: 'numbers', length: end + 1, form: read.isWorded ? 'worded' : 'bare', sources: read.sources };
}

/** The beginning of a marker at which an answer ends, because it reached its token limit. */
const CUT_OFF = /^\s*\d{1,6}(?:\s*,\s*\d{1,6})*[,\s]*\]?\s*$/u;
const END_OF_BODY = new RegExp(`[\\[［【〔${CLOSING}\\n]`, 'u');
const CLOSER = new RegExp(`[${CLOSING}]`, 'u');
/** In `【4:1†notes.txt】` the second number counts passages of a message, and the text only repeats the source. */
const DAGGER = /^\s*(\d{1,6})(?::(\d{1,6}))?\s*†/u;
/** Matches between two brackets in brackets: `]; [` of `[[1]; [2]]`. */
const NESTED = new RegExp(`[${CLOSING}]\\s*(?:[,;、，；،&]\\s*)?[[［【]`, 'u');

function labelled(body: string, length: number): Bracket {
  const label = body.trim();
  return label === '' ? TEXT : { kind: 'label', length, label, isOurs: FILE_WITH_PAGE.test(label) };
}

const FILE_WITH_PAGE = /\.[a-z\d]{2,5}, pages? \d{1,6}(?:-\d{1,6})?$/i;

/** Words for a source before its number, in lower case. */
const SOURCE_WORDS = [
  ...[
    'passage',
    'source',
    'document',
    'doc',
    'reference',
    'ref',
    'citation',
    'cite',
    'excerpt',
    'context',
    'chunk',
  ],
  ...['quelle', 'dokument', 'passage', 'abschnitt', 'textstelle', 'beleg', 'auszug', 'referenz'],
  ...['extrait', 'référence', 'fuente', 'documento', 'pasaje', 'referencia', 'fragmento'],
  ...['fonte', 'brano', 'passaggio', 'riferimento', 'passagem', 'trecho', 'referência'],
  ...[
    'bron',
    'document',
    'källa',
    'kilde',
    'lähde',
    'źródło',
    'dokument',
    'zdroj',
    'forrás',
    'sursă',
    'sursa',
  ],
  ...[
    'источник',
    'документ',
    'отрывок',
    'джерело',
    'kaynak',
    'belge',
    'πηγή',
    'έγγραφο',
    'sumber',
    'dokumen',
    'nguồn',
  ],
  ...[
    'المصدر',
    'مصدر',
    'المستند',
    'مستند',
    'الوثيقة',
    'وثيقة',
    'منبع',
    'سند',
    'מקור',
    'מסמך',
    'स्रोत',
    'दस्तावेज़',
  ],
  ...[
    '来源',
    '來源',
    '资料',
    '資料',
    '文档',
    '文件',
    '文檔',
    '段落',
    '出典',
    '参照',
    '参考',
    '引用',
    '文書',
    '出处',
    '出處',
  ],
  ...['출처', '문서', '자료', 'ที่มา', 'แหล่งที่มา', 'เอกสาร'],
].map((word) => word.normalize('NFKC'));

const WORD = `(?:${[...new Set(SOURCE_WORDS)].sort((a, b) => b.length - a.length).join('|')})(?:en|es|[snei])?`;

/** Whether a text ends with a word for a source, so that `Source: [1]` is a citation and not a value. */
export function endsWithSourceWord(text: string): boolean {
  return SOURCE_WORD_AT_END.test(text.normalize('NFKC'));
}
const SOURCE_WORD_AT_END = new RegExp(`(?<![\\p{L}\\p{M}])${WORD}\\s*$`, 'iu');

const NUMBER = String.raw`(?:#|n[ro]\.?|nº|№)?\s*(\d{1,6})(?!\d)`;
const PREFIX = `(?:(${WORD})\\s*[.:]?\\s*)?`;
const RANGE = String.raw`\s*(?:[-‐-―~〜−]|\.\.\.?|至|到|から)\s*|\s+(?:to|bis|à|hasta|até|до|tot|til|till|do|إلى)\s+`;
const AND = [
  ...[
    'and',
    'und',
    'et',
    'y',
    'e',
    'ed',
    'en',
    'och',
    'og',
    'ja',
    'oraz',
    'i',
    'a',
    'és',
    'și',
    'si',
    've',
    'dan',
    'và',
  ],
  ...['и', 'та', 'й', 'και', 'और', 'as well as', 'sowie'],
].join('|');
const SEPARATOR = String.raw`\s*[,;、،؛&]\s*(?:(?:${AND})\s+)?|\s+(?:${AND})\s+|\s*(?:和|与|與|及|以及|と|및|과|와|و|ו)\s*`;
const PAGE_WORD =
  'pages?|pp?|pgs?|seiten?|ss?|pagine|pag(?:in)?as?|páginas?|pág|stron[ay]|strana|str|sid(?:a|e|or)|sivu|oldal|страниц[аы]|стр|с|сторінка|σελ(?:ίδα)?|صفحة|صفحه|ص|עמוד|หน้า';
const PAGE = String.raw`\s*[,;:、(]?\s*(?:(?<![\p{L}\p{M}])(?:${PAGE_WORD})\.?\s*(\d{1,6})|第?\s*(\d{1,6})\s*(?:页|頁|ページ|쪽|페이지))(?:\s*[-‐-―]\s*\d{1,6})?\)?`;

const FIRST = new RegExp(PREFIX + NUMBER, 'iuy');
const UP_TO = new RegExp(`(?:${RANGE})${PREFIX}${NUMBER}`, 'iuy');
const ON_PAGE = new RegExp(PAGE, 'iuy');
const NEXT = new RegExp(`(?:${SEPARATOR})`, 'iuy');

/** Maximum number of sources in a range. A longer range is an interval of years or the like. */
const MAX_RANGE = 50;

/** Reads the numbers of a marker, with the words and pages beside them; null if the text is anything else. */
function readNumbers(
  body: string,
): { readonly sources: readonly NumberedSource[]; readonly isWorded: boolean } | null {
  const text = inAscii(body).trim();
  const sources: NumberedSource[] = [];
  let isWorded = false;
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match !== null) at += match[0].length;
    return match;
  };
  do {
    const first = take(FIRST);
    if (first === null) return null;
    isWorded ||= first[1] !== undefined;
    const from = Number(first[2]);
    const upTo = take(UP_TO);
    const to = upTo === null ? from : Number(upTo[2]);
    if (to < from || to - from >= MAX_RANGE) return null;
    const onPage = take(ON_PAGE);
    const page = onPage === null ? {} : { page: Number(onPage[1] ?? onPage[2]) };
    for (let number = from; number <= to; number += 1) sources.push({ number, ...page });
  } while (at < text.length && take(NEXT) !== null);
  return at === text.length ? { sources, isWorded } : null;
}

/** First code points of runs of ten decimal digits in scripts whose digits NFKC keeps. */
const ZEROS = [
  0x660, 0x6f0, 0x966, 0x9e6, 0xa66, 0xae6, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50, 0xed0, 0x1040, 0x17e0,
];
const OTHER_DIGIT = /(?![0-9])\p{Nd}/gu;
/** Marks of direction that surround a number in Arabic and Hebrew text. */
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** A text with plain digits, punctuation and spaces: full-width forms and the digits of other scripts are replaced. */
function inAscii(text: string): string {
  return text
    .normalize('NFKC')
    .replace(DIRECTION, '')
    .replace(OTHER_DIGIT, (digit) => {
      const code = digit.codePointAt(0) ?? 0;
      const zero = ZEROS.find((first) => code >= first && code < first + 10);
      return zero === undefined ? digit : String(code - zero);
    });
}

const BRACKETED_NUMBERS = /[[［【〔]([^[\]［］【】〔〕\n]{1,80})[\]］】〕]/gu;

/** The numbers that a text carries in brackets as its own references, such as 3 in "as shown in [3]". */
export function referencesIn(text: string): number[] {
  return Array.from(text.matchAll(BRACKETED_NUMBERS)).flatMap(([, body = '']) =>
    (readNumbers(body)?.sources ?? []).map(({ number }) => number),
  );
}
