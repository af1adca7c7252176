/** A heading that a chunk stands under. */
export interface ContextHeading {
  /** 1 to 6; a heading of a lower number stands above those of higher ones. */
  readonly level: number;
  readonly text: string;
}

/** What the rows of a table need to be understood. */
export interface TableContext {
  /** Lines above the header. */
  readonly caption: readonly string[];
  /** Its cells, empty ones too; a first cell `…` stands for those that are cut off. None: what it is called is unknown. */
  readonly header: readonly string[];
}

/** What a chunk does not say itself: whose it is, and where it stands. */
export interface ChunkContext {
  /** What its document is called; null where it has no title, or the chunk says it itself. */
  readonly title: string | null;
  /** The outermost first. */
  readonly headings: readonly ContextHeading[];
  /** Of the table that the chunk begins in; null: in none. */
  readonly table: TableContext | null;
}

/** Between the cells of a printed header. */
export const CELLS = ' | ';

export const NO_CONTEXT: ChunkContext = { title: null, headings: [], table: null };

/** A context as it is embedded and shown: Markdown, with a line for each of its parts; empty for none. */
export function printContext({ title, headings, table }: ChunkContext): string {
  return [
    ...(title === null ? [] : [title]),
    ...headings.map(({ level, text }) => `${'#'.repeat(level)} ${text}`),
    ...(table === null ? [] : tableLines(table).map((line) => `| ${line}`)),
  ]
    .map((line) => line.trim())
    .join('\n');
}

/** Caption and header, a line each, the cells of the header between pipes. */
export function tableLines({ caption, header }: TableContext): string[] {
  return header.length === 0 ? [...caption] : [...caption, header.join(CELLS)];
}

/** A chunk below its context: what is embedded for it, and what a model reads. */
export function embeddedText(context: ChunkContext, content: string): string {
  const above = printContext(context);
  return above === '' ? content : `${above}\n\n${content}`;
}
