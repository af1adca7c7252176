/** The module is plain JavaScript, since the bench imports it as it is. */
declare module '*/table-files.mjs' {
  /** A file with a table, and a question for one of its cells. */
  export interface TableFile {
    readonly filename: string;
    readonly bytes: Buffer;
    readonly question: string;
    /** Name of the row. */
    readonly row: string;
    /** Of the cell. */
    readonly value: string;
  }

  /** Five files for each of the sizes: CSV, HTML, DOCX, XLSX and PDF. */
  export function tableFiles(sizes: readonly number[]): Promise<TableFile[]>;
}
