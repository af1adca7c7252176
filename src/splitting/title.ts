/** What the title of a document is taken from. */
export interface TitleSources {
  /** What its format says; unknown, since it is kept with other facts about the file. */
  readonly own: unknown;
  /** The text or its beginning. */
  readonly head: Pick<string, 'slice'>;
  /** On a page the first line is a letterhead or a running title. */
  readonly hasPages: boolean;
  readonly filename: string | null;
}

/** Characters in which a heading or a first line is sought. */
const HEAD = 500;
const MAX_FIRST_LINE = 120;

/** Names that programs give. */
const NOT_A_TITLE = /^(?:untitled|document|presentation|slide|title|book|mappe|sheet|worksheet)[\s\d]*$/i;
const PROGRAM = /^Microsoft \w+ - /;
const EXTENSION = /\.\p{L}[\p{L}\p{N}]{0,5}$/u;
/** `document_<id>.txt`, the name of a text that came without one. */
const NAMELESS = /^document_[0-9a-f-]{36}\b/i;

/** Between a file name in words and the title; neither has it. */
const JOINT = ' / ';

/**
 * What a document is called: its file name in words and its title, which is what its format says, else the first heading,
 * else a short first line. One of them where the other says nothing more; null when neither says anything. On one line.
 */
export function titleOf({ own, head, hasPages, filename }: TitleSources): string | null {
  const beginning = head.slice(0, HEAD);
  const candidates = [
    typeof own === 'string' ? inWords(own.replace(PROGRAM, '')) : '',
    firstHeading(beginning),
    hasPages ? '' : firstLine(beginning),
  ];
  const title = candidates.map(plain).find(isTelling) ?? '';
  const name = filename === null || NAMELESS.test(filename) ? '' : plain(inWords(filename));
  if (!isTelling(name) || saysAll(title, name)) return title === '' ? null : title;
  return saysAll(name, title) ? name : `${name}${JOINT}${title}`;
}

/** What a text that begins with the title itself has to be told: the file name, if anything. */
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

function isTelling(title: string): boolean {
  return /\p{L}{2}/u.test(title) && !NOT_A_TITLE.test(title);
}

/** A file name without its ending, and without what stands for spaces in it. */
function inWords(name: string): string {
  const base = name.replace(EXTENSION, '');
  return /\s/.test(base)
    ? base
    : base.replace(/[_+]+|(?<!\d)\.|\.(?!\d)|-(?=\p{L}{2})|(?<=\p{L}{2})-/gu, ' ');
}

function firstHeading(head: string): string {
  return /^ {0,3}#{1,6}\s+(.+?)\s*#*\s*$/m.exec(head)?.[1] ?? '';
}

/** A line that stands alone before what follows it, and is no sentence among others. */
function firstLine(head: string): string {
  const [, line = ''] = /^\s*(\S[^\n]*?)[ \t\r]*\n[ \t\r]*\n/.exec(head) ?? [];
  return line.length <= MAX_FIRST_LINE && !/[,;:]$/.test(line) ? line : '';
}
