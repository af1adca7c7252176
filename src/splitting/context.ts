import type { Heading, Outline } from './outline.js';
import type { TokenCounter } from './piece.js';
import { isTitle, titleBeside } from './title.js';

/** What a chunk does not say itself: whose it is, and where it stands. */
interface Standing {
  readonly title: string | null;
  /** Of the headings above it, the outermost first. */
  readonly path: readonly Pick<Heading, 'level' | 'text'>[];
  /** Caption and header of the table that it is a piece of. */
  readonly table: readonly string[];
}

const NOWHERE: Standing = { title: null, path: [], table: [] };

/** How long contexts may be. */
export interface ContextBudget {
  readonly counter: TokenCounter;
  /** Most tokens of a context, the blank line behind it included; 0: chunks have none. */
  readonly tokens: number;
}

/** Characters of a chunk in which its title is sought. */
const HEAD = 500;

/** Part of a context that its title may take. */
const TITLE_SHARE = 0.4;

/** Half of a character, which a cut may leave and no database takes. */
const CUT_PAIR = /\p{Surrogate}/gu;

/** Part of what the title leaves that headings keep beside the head of a table. */
const PATH_SHARE = 0.5;

/** What is embedded for a chunk. */
export function embeddedText(context: string, content: string): string {
  return context === '' ? content : `${context}\n\n${content}`;
}

/**
 * The contexts of pieces that are asked for in the order of the text. A context has a line for the title, one for each
 * heading, and one each for the caption and the header of a table, as Markdown; what is too long is cut from the left,
 * the title from the right.
 */
export class ContextFinder {
  private path: Pick<Heading, 'level' | 'text'>[];
  private nextHeading = 0;
  private nextTable = 0;

  /** @param above where the chunk stands that the text goes on from */
  constructor(
    private readonly text: string,
    private readonly outline: Outline,
    private readonly title: string | null,
    private readonly budget: ContextBudget,
    above: Standing = NOWHERE,
  ) {
    this.path = [...above.path];
  }

  contextOf({ start, bodyStart }: { readonly start: number; readonly bodyStart: number }): string {
    if (this.budget.tokens === 0) return '';
    const head = this.text.slice(start, start + HEAD);
    const standing = {
      title: titleFor(head, this.title),
      path: this.pathAt(bodyStart),
      table: this.tableAt(start),
    };
    return printContext(standing, this.budget);
  }

  private pathAt(offset: number): readonly Pick<Heading, 'level' | 'text'>[] {
    const { headings } = this.outline;
    for (let heading = headings[this.nextHeading]; heading !== undefined && heading.start < offset;) {
      const { level } = heading;
      this.path = [...this.path.filter((other) => other.level < level), heading];
      this.nextHeading += 1;
      heading = headings[this.nextHeading];
    }
    return this.path;
  }

  private tableAt(offset: number): readonly string[] {
    const { tables } = this.outline;
    while ((tables[this.nextTable]?.end ?? Infinity) <= offset) this.nextTable += 1;
    const table = tables[this.nextTable];
    if (table !== undefined && table.start <= offset) return table.lines;
    return [];
  }
}

/** The context of a stored chunk under another title of its document. */
export function retitled(
  { context, content }: { readonly context: string; readonly content: string },
  title: string | null,
  budget: ContextBudget,
): string {
  if (budget.tokens === 0) return context;
  return printContext({ ...parseContext(context), title: titleFor(content, title) }, budget);
}

/** A chunk that begins with the title says it itself. */
function titleFor(content: string, title: string | null): string | null {
  return title === null ? null : titleBeside(content.slice(0, HEAD), title);
}

function printContext({ title, path, table }: Standing, { counter, tokens }: ContextBudget): string {
  const cost = (line: string): number => (line === '' ? 0 : counter.count(`${line}\n`));
  const first = title === null ? '' : start(title, Math.floor(tokens * TITLE_SHARE), cost);
  let room = tokens - 1 - cost(first);
  const lines = path
    .filter(({ text }) => !isTitle(text, title))
    .map(({ level, text }) => `${'#'.repeat(level)} ${text}`);
  const wanted = lines.reduce((sum, line) => sum + cost(line), 0);
  const head = table.map((line) => `| ${line}`);
  const rows = lastOf(head, room - Math.min(wanted, Math.floor(room * PATH_SHARE)), cost);
  room -= rows.reduce((sum, line) => sum + cost(line), 0);
  const headings = lastOf(lines, room, cost);
  return [first, ...headings, ...rows]
    .map((line) => line.replace(CUT_PAIR, '').trim())
    .filter((line) => line !== '')
    .join('\n');
}

/** What a printed context says; the reverse of printing, but for what was cut. */
export function parseContext(context: string): Standing {
  const lines = context === '' ? [] : context.split('\n');
  const path = lines.flatMap((line) => {
    const [, hashes, text] = /^(#+) (.*)$/.exec(line) ?? [];
    return hashes === undefined || text === undefined ? [] : [{ level: hashes.length, text }];
  });
  return {
    title: lines.find((line) => !/^(?:#+ |\|)/.test(line)) ?? null,
    path,
    table: lines.filter((line) => line.startsWith('| ')).map((line) => line.slice(2)),
  };
}

/** As many of the first words of a line as fit. */
function start(line: string, room: number, cost: (line: string) => number): string {
  const cut = fitting(line, room, (length) => line.slice(0, length), cost);
  return cut.length === line.length
    ? line
    : cut.replace(/\s*\S*$/u, (rest) => (rest.length < cut.length ? '' : rest));
}

/** The last lines, as far as they fit; the first of those that stay may be cut. */
function lastOf(lines: readonly string[], room: number, cost: (line: string) => number): string[] {
  const kept: string[] = [];
  for (const line of lines.toReversed()) {
    const fits = end(line, room, cost);
    if (fits !== '') kept.unshift(fits);
    if (fits !== line) break;
    room -= cost(line);
  }
  return kept;
}

/** As many of the last words of a line as fit, behind its mark; whole cells of a header, behind an ellipsis. */
function end(line: string, room: number, cost: (line: string) => number): string {
  if (cost(line) <= room) return line;
  const [, mark = '', words = ''] = /^(#* |\| )?(.*)$/s.exec(line) ?? [];
  const cutMark = mark === '| ' ? '| … ' : mark;
  const cut = fitting(words, room, (length) => cutMark + words.slice(words.length - length), cost);
  const kept = cut.slice(cutMark.length).replace(/^\S*\s+/u, '');
  const whole = mark === '| ' ? kept.replace(/^.*?(?=(?<!\\)\| )/su, '') : kept;
  return whole === '' ? '' : cutMark + whole;
}

/** The longest of the parts of a line that fits, by bisection. */
function fitting(
  line: string,
  room: number,
  part: (length: number) => string,
  cost: (line: string) => number,
): string {
  let [least, most] = [0, line.length];
  while (least < most) {
    const length = Math.ceil((least + most) / 2);
    if (cost(part(length)) <= room) least = length;
    else most = length - 1;
  }
  return least === 0 ? '' : part(least);
}
