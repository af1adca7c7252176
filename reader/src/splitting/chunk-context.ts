/** A heading of the section that contains a chunk. */
export interface ContextHeading {
  /** Heading level, 1 (outermost) to 6. */
  readonly level: number;
  readonly text: string;
}

export interface TableContext {
  /** Lines above the header. */
  readonly caption: readonly string[];
  /**
   * Header cells, including empty ones. A first cell `…` replaces omitted cells. An empty list means that the header is
   * unknown.
   */
  readonly header: readonly string[];
}

/** Context of a chunk in its document: title, headings and table. */
export interface ChunkContext {
  /** Title of the document; null if the document has no title, or if the chunk contains the title. */
  readonly title: string | null;
  /** Headings of the sections that contain the chunk, outermost first. */
  readonly headings: readonly ContextHeading[];
  /** The table in which the chunk starts; null: the chunk does not start in a table. */
  readonly table: TableContext | null;
}

/** Separator of the cells of a printed header. */
export const CELLS = ' | ';

export const NO_CONTEXT: ChunkContext = { title: null, headings: [], table: null };

/** Prints a context as Markdown for embedding and display, one line per item. Empty for an empty context. */
export function printContext({ title, headings, table }: ChunkContext): string {
  return [
    ...(title === null ? [] : [title]),
    ...headings.map(({ level, text }) => `${'#'.repeat(level)} ${text}`),
    ...(table === null ? [] : tableLines(table).map((line) => `| ${line}`)),
  ]
    .map((line) => line.trim())
    .join('\n');
}

/** Prints caption and header as lines, with pipes between the header cells. */
export function tableLines({ caption, header }: TableContext): string[] {
  return header.length === 0 ? [...caption] : [...caption, header.join(CELLS)];
}

/** Prepends the context to a chunk. The result is embedded, and is part of prompts. */
export function embeddedText(context: ChunkContext, content: string): string {
  const above = printContext(context);
  return above === '' ? content : `${above}\n\n${content}`;
}
