import type { Space } from '../../src/chunks/vectors/vector-space.js';
import { StartRefused } from '../../src/errors/index.js';

/**
 * The format of an export (docs/operate/back-up.md). A stream of lines and sections:
 *
 *     lectern-export 1
 *     {header}
 *     {"section":1,"file":{...},"bytes":n}          or {"section":2,"rows":{...},"bytes":n}
 *     <n bytes>
 *     {"sha256":"..."}                              of the line of the section and its bytes
 *     ...
 *     {"end":{...}}
 *     {"sha256":"..."}                              of everything before this line
 *
 * The payload of a file section is the bytes of the file. The payload of a row section has one JSON array per line,
 * with the text form of each column, or null.
 */
export const MAGIC = 'lectern-export 1';

export interface MovedTenant {
  readonly appId: string;
  readonly name: string;
  readonly shards: number;
  readonly createdAt: string;
  readonly tokenVersion: number;
}

export interface ExportHeader {
  /** Random id, by which an interrupted restore recognises the export. */
  readonly id: string;
  /** Version of Lectern that wrote the export. */
  readonly version: string;
  /** Name of the last migration. */
  readonly schema: string;
  readonly createdAt: string;
  readonly tenants: readonly MovedTenant[];
  /** Vector spaces by name, as in `service_state`. */
  readonly spaces: Readonly<Record<string, Space | null>>;
  /** Upper bound for the revisions of all exported chunks and pages. */
  readonly revision: string;
}

/** Content of a section: the bytes of a stored file, or rows of a table. */
export type SectionContent =
  | { readonly file: { readonly appId: string; readonly key: string } }
  | {
      readonly rows: { readonly table: string; readonly columns: readonly string[]; readonly count: number };
    };

export type SectionHead = SectionContent & {
  /** 1-based. */
  readonly section: number;
  readonly bytes: number;
};

export interface ExportTotals {
  readonly sections: number;
  /** Number of rows, by table. */
  readonly rows: Readonly<Record<string, number>>;
  readonly files: number;
  readonly fileBytes: number;
  readonly missingFiles: number;
}

/** Thrown if the stream is not an export, is incomplete, or was changed after it was written. */
export class DamagedExport extends StartRefused {
  constructor(reason: string, at: number) {
    super(`The export is damaged at byte ${at}: ${reason}`);
  }
}

/** Thrown if the export is whole, but has content that an export of this installation's kind cannot have. */
export class RefusedExport extends StartRefused {
  constructor(reason: string) {
    super(`The export is refused: ${reason}`);
  }
}

/** Counts rows and files while they are written or read. */
export class TotalsCount implements ExportTotals {
  sections = 0;
  readonly rows: Record<string, number> = {};
  files = 0;
  fileBytes = 0;
  missingFiles = 0;

  add(content: SectionContent, bytes: number): void {
    this.sections += 1;
    if ('file' in content) {
      this.files += 1;
      this.fileBytes += bytes;
    } else {
      const { table, count } = content.rows;
      this.rows[table] = (this.rows[table] ?? 0) + count;
    }
  }
}
