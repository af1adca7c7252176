/** A file with a table, and a question for one of its cells. */
export interface TableFile {
  readonly filename: string;
  readonly bytes: Buffer;
  readonly question: string;
  readonly row: string;
  readonly value: string;
}

/** Five files for each of the sizes: CSV, HTML, DOCX, XLSX and PDF. */
export function tableFiles(sizes: readonly number[]): Promise<TableFile[]>;
