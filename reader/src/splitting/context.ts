import {
  CELLS,
  type ChunkContext,
  type ContextHeading,
  NO_CONTEXT,
  type TableContext,
  tableLines,
  type Outline,
} from './outline.js';
import type { TokenCounter } from './piece.js';
import { isTitle, titleBeside } from './title.js';

export interface ContextBudget {
  readonly counter: TokenCounter;
  /** Maximum tokens of a context, including the blank line after it; 0: no contexts. */
  readonly tokens: number;
}

/** Characters of a chunk that are searched for its title. */
const HEAD = 500;

const TITLE_SHARE = 0.4;

/** Half of a surrogate pair, which a cut may leave and PostgreSQL cannot store. */
const CUT_PAIR = /\p{Surrogate}/gu;

/** Maximum share of the tokens after the title that is reserved for headings, if there is a table header. */
const PATH_SHARE = 0.5;

/**
 * Finds the contexts of pieces. The contexts must be requested in text order. A context over budget loses its outermost
 * headings first, and a title loses its last words.
 */
export class ContextFinder {
  private headings: readonly ContextHeading[];
  private nextHeading = 0;
  private nextTable = 0;

  /** @param above context of the stored chunk that the text continues, if there is one */
  constructor(
    private readonly text: string,
    private readonly outline: Outline,
    private readonly title: string | null,
    private readonly budget: ContextBudget,
    above: ChunkContext = NO_CONTEXT,
  ) {
    this.headings = above.headings;
  }

  contextOf({ start, bodyStart }: { readonly start: number; readonly bodyStart: number }): ChunkContext {
    if (this.budget.tokens === 0) return NO_CONTEXT;
    const context = {
      title: titleFor(this.text.slice(start, start + HEAD), this.title),
      headings: this.headingsAbove(bodyStart),
      table: this.tableAt(start),
    };
    return withinBudget(context, this.budget);
  }

  private headingsAbove(offset: number): readonly ContextHeading[] {
    const { headings } = this.outline;
    for (let heading = headings[this.nextHeading]; heading !== undefined && heading.start < offset;) {
      const { level, text } = heading;
      this.headings = [...this.headings.filter((other) => other.level < level), { level, text }];
      this.nextHeading += 1;
      heading = headings[this.nextHeading];
    }
    return this.headings;
  }

  private tableAt(offset: number): TableContext | null {
    const { tables } = this.outline;
    while ((tables[this.nextTable]?.end ?? Infinity) <= offset) this.nextTable += 1;
    const table = tables[this.nextTable];
    return table !== undefined && table.start <= offset ? table : null;
  }
}

/** Context of a chunk when only the document's title is known. */
export function titleContext(content: string, title: string | null, budget: ContextBudget): ChunkContext {
  if (budget.tokens === 0) return NO_CONTEXT;
  return withinBudget({ ...NO_CONTEXT, title: titleFor(content, title) }, budget);
}

/** Returns a chunk's context with another title. With a budget of 0 it returns the context unchanged. */
export function retitledContext(
  context: ChunkContext,
  content: string,
  title: string | null,
  budget: ContextBudget,
): ChunkContext {
  if (budget.tokens === 0) return context;
  return withinBudget({ ...context, title: titleFor(content, title) }, budget);
}

/** Returns the part of the title that the chunk does not begin with. */
function titleFor(content: string, title: string | null): string | null {
  return title === null ? null : titleBeside(content.slice(0, HEAD), title);
}

/** A line of a formatted context: its mark (hashes, or the pipe of a table) and its words. */
interface Line {
  readonly mark: string;
  readonly words: string;
}

function withinBudget(
  { title, headings, table }: ChunkContext,
  { counter, tokens }: ContextBudget,
): ChunkContext {
  const cost: Cost = ({ mark, words }) => (words === '' ? 0 : counter.count(`${mark}${words}\n`));
  const called = title === null ? '' : startOf(title, Math.floor(tokens * TITLE_SHARE), cost);
  let room = tokens - 1 - cost({ mark: '', words: called });
  const above = headings
    .filter(({ text }) => !isTitle(text, title))
    .map(({ level, text }) => ({ mark: `${'#'.repeat(level)} `, words: text }));
  const wanted = above.reduce((sum, line) => sum + cost(line), 0);
  const head = table === null ? [] : tableLines(table).map((words) => ({ mark: '| ', words }));
  const rows = lastOf(head, room - Math.min(wanted, Math.floor(room * PATH_SHARE)), cost);
  room -= rows.reduce((sum, line) => sum + cost(line), 0);
  const caption = rows.map(({ words }) => whole(words));
  const header = table === null || table.header.length === 0 ? undefined : caption.pop();
  return {
    title: whole(called) === '' ? null : whole(called),
    headings: lastOf(above, room, cost).map(({ mark, words }) => ({
      level: mark.length - 1,
      text: whole(words),
    })),
    table: rows.length === 0 ? null : { caption, header: header?.split(CELLS) ?? [] },
  };
}

function whole(words: string): string {
  return words.replace(CUT_PAIR, '').trimEnd();
}

type Cost = (line: Line) => number;

/** The longest prefix of whole words of a title that fits. */
function startOf(title: string, room: number, cost: Cost): string {
  const cut = fitting(title, room, (length) => ({ mark: '', words: title.slice(0, length) }), cost);
  return cut.length === title.length
    ? title
    : cut.replace(/\s*\S*$/u, (rest) => (rest.length < cut.length ? '' : rest));
}

/** The last lines that fit; the first of these lines may be truncated. */
function lastOf(lines: readonly Line[], room: number, cost: Cost): Line[] {
  const kept: Line[] = [];
  for (const line of lines.toReversed()) {
    const words = endOf(line, room, cost);
    if (words !== '') kept.unshift({ ...line, words });
    if (words !== line.words) break;
    room -= cost(line);
  }
  return kept;
}

/** The last words of a line that fit. In a table header, the last whole cells that fit, after an ellipsis. */
function endOf({ mark, words }: Line, room: number, cost: Cost): string {
  if (cost({ mark, words }) <= room) return words;
  const isRow = mark === '| ';
  const ellipsis = isRow ? '… ' : '';
  const last = (length: number): Line => ({ mark, words: ellipsis + words.slice(words.length - length) });
  const kept = fitting(words, room, last, cost)
    .slice(ellipsis.length)
    .replace(/^\S*\s+/u, '');
  const cells = isRow ? kept.replace(/^.*?(?=(?<!\\)\| )/su, '') : kept;
  return cells === '' ? '' : ellipsis + cells;
}

/** The longest part of a line that fits, by bisection. */
function fitting(words: string, room: number, part: (length: number) => Line, cost: Cost): string {
  let [least, most] = [0, words.length];
  while (least < most) {
    const length = Math.ceil((least + most) / 2);
    if (cost(part(length)) <= room) least = length;
    else most = length - 1;
  }
  return least === 0 ? '' : part(least).words;
}
