import { CODE } from './blocks.js';
import { titleOfFrontMatter, outlineOf } from './outline.js';

export interface TitleSources {
  /** Title property of the file; `unknown` because it is stored with other parsed properties. */
  readonly own: unknown;
  /** The text or its beginning. */
  readonly head: Pick<string, 'slice'>;
  /** Content type of the text. In source code, `#` starts a comment, not a heading. */
  readonly contentType: string;
  /** Whether the text has pages. The first line of a page is often a letterhead or running title, so it is not used. */
  readonly hasPages: boolean;
  readonly filename: string | null;
}

/** A heading or first line must start within this many characters. */
const HEAD = 500;
/** Maximum length of a heading, which may end after `HEAD`. */
const MAX_HEADING = 500;
const MAX_FIRST_LINE = 120;

/** Words of default titles such as "Untitled-1" and "PowerPoint Presentation". */
const DEFAULT_TITLE_WORDS = new Set(
  'untitled unbenannt anonymous document presentation powerpoint slide title book mappe sheet worksheet'.split(
    ' ',
  ),
);
const PROGRAM = /^\s*Microsoft (?:Office )?\w+ - /;
/** Matches the beginning of source code, whatever its content type is. */
const SCRIPT = /^#(?:!|.*-\*-)/;
const EXTENSION = /\.\p{L}[\p{L}\p{N}]{0,5}$/u;
/** Default names `document_<id>.txt` and bare ids. */
const NAMELESS = /^(?:document[_ ])?[0-9a-f]{8}(?:[- ]?[0-9a-f]{4}){3}[- ]?[0-9a-f]{12}(?:\.\w+)?$/i;

/** Distinguishing marks of a report: a year or date, a quarter or half-year, a form such as 10-K. */
const PERIOD_OR_FORM =
  /(?<![\p{L}\p{N}])(?:(?:19|20)\d\d(?:[01]\d[0-3]\d)?|(?:[QH][1-4]|[1-4][QH])(?:\d\d){0,2}|\d{1,2}-?[KQF])(?!\d)/iu;

/** Separates file name and title; neither contains it. */
const JOINT = ' / ';

/**
 * A document's title on one line: its file name in words, and its title from the front matter, the file properties, the
 * first heading, or a short first line. If one of the two contains the other, only the longer one is used. Returns null
 * if neither is meaningful.
 */
export function titleOf({ own, head, contentType, hasPages, filename }: TitleSources): string | null {
  const candidates = [
    titleOfFrontMatter(head),
    typeof own === 'string' ? inWords(own.replace(PROGRAM, '')) : '',
    ...(isCode(head, contentType) ? [] : [firstHeading(head, contentType), hasPages ? '' : firstLine(head)]),
  ];
  const title = candidates.map(plain).find(isDistinctive) ?? '';
  const name = filename === null ? '' : plain(inWords(filename));
  const isName = isDistinctive(name) || (PERIOD_OR_FORM.test(name) && !NAMELESS.test(name));
  if (!isName || saysAll(title, name)) return title === '' ? null : title;
  return saysAll(name, title) ? name : `${name}${JOINT}${title}`;
}

/**
 * Returns the part of a title that the beginning of a text does not repeat: the whole title, its file name, or null.
 */
export function titleBeside(text: string, title: string): string | null {
  const start = text
    .replace(/\s+/g, ' ')
    .replace(/^[#\s]+/, '')
    .toLowerCase();
  if (start.startsWith(title.toLowerCase())) return null;
  const [name, own] = halvesOf(title);
  return own !== undefined && start.startsWith(own.toLowerCase()) ? name : title;
}

/** Whether a heading repeats the title. Contexts leave out such a heading. */
export function isTitle(heading: string, title: string | null): boolean {
  return title !== null && (heading === title || heading === halvesOf(title)[1]);
}

function halvesOf(title: string): [string, string?] {
  const joint = title.indexOf(JOINT);
  return joint === -1 ? [title] : [title.slice(0, joint), title.slice(joint + JOINT.length)];
}

function saysAll(text: string, part: string): boolean {
  const words = new Set(wordsIn(text));
  return wordsIn(part).every((word) => words.has(word));
}

function wordsIn(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Removes leading `#` and `|`, which mark headings and tables in a context. */
function plain(title: string): string {
  return title
    .replace(/\s+/g, ' ')
    .replaceAll(JOINT, '/')
    .replace(/^[#|\s]+/, '')
    .trim();
}

function isDistinctive(title: string): boolean {
  const words = title.toLowerCase().match(/\p{L}+/gu) ?? [];
  return (
    words.some((word) => /\p{L}{2}/u.test(word)) &&
    words.some((word) => !DEFAULT_TITLE_WORDS.has(word)) &&
    !NAMELESS.test(title)
  );
}

/** A file name without extension and with spaces for separators. */
function inWords(name: string): string {
  const base = name.replace(EXTENSION, '');
  return /\s/.test(base)
    ? base
    : base.replace(/[_+]+|(?<!\d)\.|\.(?!\d)|-(?=\p{L}{2})|(?<=\p{L}{2})-/gu, ' ');
}

function isCode(head: Pick<string, 'slice'>, contentType: string): boolean {
  return CODE.test(contentType) || SCRIPT.test(head.slice(0, HEAD));
}

function firstHeading(head: Pick<string, 'slice'>, contentType: string): string {
  const [first] = outlineOf(head.slice(0, HEAD + MAX_HEADING), contentType).headings;
  return first !== undefined && first.start < HEAD ? first.text : '';
}

/** A first line that precedes a blank line and does not end inside a sentence. */
function firstLine(head: Pick<string, 'slice'>): string {
  const [, line = ''] = /^\s*(\S[^\n]*?)[ \t\r]*\n[ \t\r]*\n/.exec(head.slice(0, HEAD)) ?? [];
  return line.length <= MAX_FIRST_LINE && !/[,;:]$/.test(line) ? line : '';
}
