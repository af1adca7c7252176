import { CODE } from './atoms.js';
import { frontMatterOf, outlineOf, titleOfFrontMatter } from './outline.js';

/** What the title of a document is taken from. */
export interface TitleSources {
  /** What its format says; unknown, since it is kept with other facts about the file. */
  readonly own: unknown;
  /** The text or its beginning. */
  readonly head: Pick<string, 'slice'>;
  /** Of the text: source code has comments where others have headings. */
  readonly contentType: string;
  /** On a page the first line is a letterhead or a running title. */
  readonly hasPages: boolean;
  readonly filename: string | null;
}

/** Characters in which a heading or a first line begins. */
const HEAD = 500;
/** Characters of a heading, which may end behind them. */
const MAX_HEADING = 500;
const MAX_FIRST_LINE = 120;

/** What the names are made of that programs give for want of a title, like "Untitled-1" and "PowerPoint Presentation". */
const NAMES_OF_PROGRAMS = new Set(
  'untitled unbenannt anonymous document presentation powerpoint slide title book mappe sheet worksheet'.split(
    ' ',
  ),
);
const PROGRAM = /^\s*Microsoft (?:Office )?\w+ - /;
/** Source code, also where its type does not say so. */
const SCRIPT = /^#(?:!|.*-\*-)/;
const EXTENSION = /\.\p{L}[\p{L}\p{N}]{0,5}$/u;
/** `document_<id>.txt`, the name of a text that came without one, and an identifier alone. */
const NAMELESS = /^(?:document[_ ])?[0-9a-f]{8}(?:[- ]?[0-9a-f]{4}){3}[- ]?[0-9a-f]{12}(?:\.\w+)?$/i;

/** What distinguishes a report without a word: a year or a date, a quarter or half of a year, a form like 10-K. */
const PERIOD_OR_FORM =
  /(?<![\p{L}\p{N}])(?:(?:19|20)\d\d(?:[01]\d[0-3]\d)?|(?:[QH][1-4]|[1-4][QH])(?:\d\d){0,2}|\d{1,2}-?[KQF])(?!\d)/iu;

/** Between a file name in words and the title; neither has it. */
const JOINT = ' / ';

/**
 * What a document is called: its file name in words and its title: that of its front matter, else what its format says,
 * else the first heading, else a short first line. One of them where the other says nothing more; null when neither says anything. On one line.
 */
export function titleOf({ own, head, contentType, hasPages, filename }: TitleSources): string | null {
  const candidates = [
    titleOfFrontMatter(frontMatterOf(head)),
    typeof own === 'string' ? inWords(own.replace(PROGRAM, '')) : '',
    ...(isCode(head, contentType) ? [] : [firstHeading(head, contentType), hasPages ? '' : firstLine(head)]),
  ];
  const title = candidates.map(plain).find(isDistinctive) ?? '';
  const name = filename === null ? '' : plain(inWords(filename));
  const isName = isDistinctive(name) || (PERIOD_OR_FORM.test(name) && !NAMELESS.test(name));
  if (!isName || saysAll(title, name)) return title === '' ? null : title;
  return saysAll(name, title) ? name : `${name}${JOINT}${title}`;
}

/** The part of a title that a text lacks: all of it, the file name where the text begins with the rest, or nothing. */
export function titleBeside(text: string, title: string): string | null {
  const start = text
    .replace(/\s+/g, ' ')
    .replace(/^[#\s]+/, '')
    .toLowerCase();
  if (start.startsWith(title.toLowerCase())) return null;
  const [name, own] = halvesOf(title);
  return own !== undefined && start.startsWith(own.toLowerCase()) ? name : title;
}

/** Whether a heading is the title, which stands above all headings already. */
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

/** At the start of a line of a context, `#` and `|` stand for headings and tables. */
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
    words.some((word) => !NAMES_OF_PROGRAMS.has(word)) &&
    !NAMELESS.test(title)
  );
}

/** A file name without its ending, and without what stands for spaces in it. */
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

/** A line that stands alone before what follows it, and is no sentence among others. */
function firstLine(head: Pick<string, 'slice'>): string {
  const [, line = ''] = /^\s*(\S[^\n]*?)[ \t\r]*\n[ \t\r]*\n/.exec(head.slice(0, HEAD)) ?? [];
  return line.length <= MAX_FIRST_LINE && !/[,;:]$/.test(line) ? line : '';
}
