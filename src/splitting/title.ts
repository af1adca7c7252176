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

/**
 * The title of a document: what its format says, else its first heading, else a short first line, else its file name in
 * words; null when none of these says anything. On one line.
 */
export function titleOf({ own, head, hasPages, filename }: TitleSources): string | null {
  const beginning = head.slice(0, HEAD);
  const candidates = [
    typeof own === 'string' ? inWords(own.replace(PROGRAM, '')) : '',
    firstHeading(beginning),
    hasPages ? '' : firstLine(beginning),
    filename === null || NAMELESS.test(filename) ? '' : inWords(filename),
  ];
  return candidates.map(plain).find(isTelling) ?? null;
}

/** At the start of a line of a context, `#` and `|` stand for headings and tables. */
function plain(title: string): string {
  return title
    .replace(/\s+/g, ' ')
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
