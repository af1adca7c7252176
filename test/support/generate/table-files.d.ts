/** The module is plain JavaScript because the benchmarks import it directly. */
declare module '*/table-files.mjs' {
  /** A file with a table, and a question about one of its cells. */
  export interface TableFile {
    readonly filename: string;
    readonly bytes: Buffer;
    readonly question: string;
    /** Name of the row. */
    readonly row: string;
    /** The content of the cell. */
    readonly value: string;
  }

  /** Returns five files per size: CSV, HTML, DOCX, XLSX and PDF. */
  export function tableFiles(sizes: readonly number[]): Promise<TableFile[]>;
}
