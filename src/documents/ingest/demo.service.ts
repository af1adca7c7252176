import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { promisedBy } from '#reader';
import type { Scope } from '../../auth/scope.js';
import { packageRoot } from '../../config/package-root.js';
import { DocumentRepository } from '../../corpus/document.repository.js';
import type { DocumentRow } from '../../corpus/document-row.js';
import { IngestService } from './ingest.service.js';

const FOLDER = join(packageRoot, 'demo', 'documents');

/** Ingests the example documents of the package, to try an empty installation. */
@Injectable()
export class DemoService {
  constructor(
    private readonly documents: DocumentRepository,
    private readonly ingest: IngestService,
  ) {}

  /** Ingests the examples. Skips an example if a document with its name exists already. @returns the new documents */
  async load(scope: Scope): Promise<DocumentRow[]> {
    const created: DocumentRow[] = [];
    for (const filename of (await readdir(FOLDER)).sort()) {
      if ((await this.documents.findNewestByFilename(scope, {}, filename)) !== null) continue;
      const contentType = promisedBy(filename) ?? 'application/octet-stream';
      const content = await readFile(join(FOLDER, filename));
      created.push(await this.ingest.ingestBytes(scope, { filename, contentType, content }));
    }
    return created;
  }
}
