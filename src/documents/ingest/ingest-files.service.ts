import { Injectable } from '@nestjs/common';
import type { Scope } from '../../auth/scope.js';
import { Invalid, LecternError } from '../../errors/index.js';
import { recordOf, type DocumentRecord } from '../document-record.js';
import { optionsOfFiles, type IngestFilesFields } from './ingest-files.dto.js';
import { IngestService, type IngestOptions } from './ingest.service.js';
import { SourceStore } from '../files/source-store.js';
import { UploadReader, type Upload, type UploadedFile } from '../files/upload-reader.js';

/** What became of several files. */
export interface IngestedFiles {
  readonly documents: readonly DocumentRecord[];
  readonly errors: readonly { readonly filename: string; readonly error: string }[];
}

/** Takes several files in, each on its own: one that is refused does not stop the others. */
@Injectable()
export class IngestFilesService {
  constructor(
    private readonly ingestion: IngestService,
    private readonly uploads: UploadReader,
    private readonly sources: SourceStore,
  ) {}

  /** @throws Invalid for what concerns all files. */
  async ingest(scope: Scope, { files, fields }: Upload<IngestFilesFields>): Promise<IngestedFiles> {
    const options = optionsOfFiles(fields, files.length);
    // Metadata that is for all files is as wrong for one as for the others.
    const [shared] = Array.isArray(fields.metadata) ? [] : options;
    if (shared !== undefined) this.ingestion.check(shared);
    const documents: DocumentRecord[] = [];
    const errors: { filename: string; error: string }[] = [];
    for (const [index, file] of files.entries()) {
      const own = options[index];
      if (own === undefined) throw new Error('a file has no options');
      try {
        documents.push(await this.one(scope, file, own));
      } catch (error) {
        await this.sources.discard(scope, file);
        if (!(error instanceof LecternError) || error.status >= 500) throw error;
        errors.push({ filename: file.filename ?? '', error: sentenceOf(error) });
      }
    }
    return { documents, errors };
  }

  private async one(scope: Scope, file: UploadedFile, options: IngestOptions): Promise<DocumentRecord> {
    this.uploads.requireSound(file, ['body', 'filename']);
    return recordOf(await this.ingestion.ingestFile(scope, file, options));
  }
}

function sentenceOf(error: LecternError): string {
  if (!(error instanceof Invalid)) return error.message;
  return error.items.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`).join('; ');
}
