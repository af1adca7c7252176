import { IngestionError, type LecternClient } from '@lectern/client';
import pLimit from 'p-limit';
import { reasonOf, repeated } from '../service.js';
import { LISTED_AT_ONCE, type ImportSource, type SourceDocument } from './import-source.js';

/** Metadata key under which a copy stores the id of its original. */
export const ORIGIN = 'imported_from';

export type Outcome = 'copied' | 'already copied' | 'skipped' | 'failed';

export interface ImportResult {
  readonly document: SourceDocument;
  readonly outcome: Outcome;
  /** Reason of a failure or skip. */
  readonly reason?: string;
}

/**
 * Copies folders and documents between services. Skips a document if a copy exists that has its id as {@link ORIGIN}.
 */
export class DocumentImport {
  constructor(
    private readonly source: ImportSource,
    private readonly target: LecternClient,
  ) {}

  /** Copies all folders. @returns their number */
  async folders(): Promise<number> {
    const folders = await this.source.folders();
    for (const { path, description } of folders) {
      const segments = path.split('/').filter((segment) => segment !== '');
      const full = `/${segments.join('/')}`;
      const folder = { name: segments.at(-1) ?? path, full_path: full, description };
      await repeated(() => this.target.folders.create(folder));
    }
    return folders.length;
  }

  /** Copies all documents. A failed document does not stop the others. @param report called after each document */
  async documents(concurrency: number, report: (result: ImportResult) => void): Promise<void> {
    const limit = pLimit(concurrency);
    for await (const documents of this.source.documents()) {
      const copies = await this.copies(documents.map(({ id }) => id));
      await Promise.all(
        documents.map((document) =>
          limit(async () => {
            report(await this.bring(document, copies.has(document.id)).catch(failureOf(document)));
          }),
        ),
      );
    }
  }

  private async bring(document: SourceDocument, isThere: boolean): Promise<ImportResult> {
    if (isThere) return { document, outcome: 'already copied' };
    if (document.status !== 'completed') {
      return { document, outcome: 'skipped', reason: `its status in the source is ${document.status}` };
    }
    try {
      await this.target.wait(await this.send(document));
      return { document, outcome: 'copied' };
    } catch (error) {
      if (!(error instanceof IngestionError)) throw error;
      return { document, outcome: 'failed', reason: error.detail };
    }
  }

  /** Ingests the file of a document, or its text if there is no file. @returns the id of the copy */
  private async send(document: SourceDocument): Promise<string> {
    const file = document.isItsFile ? await this.source.file(document.id) : null;
    const text = file === null ? await this.source.text(document.id) : '';
    const fields = fieldsOf(document);
    const { filename, id } = document;
    const ingest = async (): Promise<string> => {
      const { external_id: copy } =
        file === null
          ? await this.target.ingestText({ ...fields, content: text, filename })
          : await this.target.ingestFile(file, { ...fields, filename: filename ?? id });
      return copy;
    };
    return repeated(ingest, async () => (await this.copies([id])).get(id));
  }

  /** Ids of copies by the ids of their originals. */
  private async copies(origins: readonly string[]): Promise<Map<string, string>> {
    const { documents } = await this.target.listing({
      document_filters: { [ORIGIN]: { $in: origins } },
      limit: 10 * LISTED_AT_ONCE,
      fields: ['external_id', `metadata.${ORIGIN}`],
    });
    return new Map(documents.map(({ external_id: id, metadata }) => [String(metadata?.[ORIGIN]), id]));
  }
}

function failureOf(document: SourceDocument): (error: unknown) => ImportResult {
  return (error) => ({
    document,
    outcome: 'failed',
    reason: reasonOf(error),
  });
}

function fieldsOf({ id, metadata, metadataTypes, folder, endUser, usesPages }: SourceDocument) {
  return {
    metadata: { ...metadata, [ORIGIN]: id },
    metadata_types: { ...metadataTypes },
    use_colpali: usesPages,
    ...(folder === null ? {} : { folder_name: folder }),
    ...(endUser === null ? {} : { end_user_id: endUser }),
  };
}
