import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { Scope } from '../../auth/scope.js';
import { DocumentRepository } from '../../corpus/document.repository.js';
import type { DocumentRow } from '../../corpus/document-row.js';
import { DocumentTextRepository } from '../../corpus/document-text.repository.js';
import { NotFound } from '../../errors/index.js';
import { PageRepository } from '../../pages/page.repository.js';
import { ObjectStore, type ByteRange } from '../../storage/object-store.js';
import { begun } from '../../request/begun.js';
import { fileOf, type DocumentFile } from './document-file.js';

export interface OutgoingFile extends Omit<DocumentFile, 'stored'> {
  /** Returns the size in bytes, or undefined if the file is missing. @throws FileReplaced */
  readonly size: () => Promise<number | undefined>;
  /** @throws FileReplaced; Unavailable if the object store is down. */
  readonly read: (range?: ByteRange) => Promise<Readable>;
}

/** Thrown if the text was replaced before its first byte was sent. The caller then looks up the current file again. */
export class FileReplaced extends Error {
  constructor() {
    super('the text was replaced before it was sent');
  }
}

/** Reads document files from the object store, or from the text in the database. */
@Injectable()
export class FileContents {
  constructor(
    private readonly documents: DocumentRepository,
    private readonly texts: DocumentTextRepository,
    private readonly objects: ObjectStore,
    private readonly pages: PageRepository,
  ) {}

  of(scope: Scope, row: DocumentRow): OutgoingFile {
    const { stored, ...file } = fileOf(row);
    return { ...file, ...(stored === null ? this.textOf(scope, row) : this.objectAt(stored.key)) };
  }

  /**
   * Returns the file or page image that a link refers to.
   *
   * @throws NotFound after the file or pages were replaced, or the document was deleted.
   */
  async named(scope: Scope, documentId: string, fileId: string): Promise<OutgoingFile> {
    if (await this.pages.hasImage(scope, documentId, fileId)) return this.pageImage(fileId);
    const row = await this.documents.find(scope, documentId);
    const file = row === null ? undefined : this.of(scope, row);
    if (file?.id !== fileId) throw new NotFound('The file does not exist');
    return file;
  }

  private pageImage(key: string): OutgoingFile {
    const filename = key.slice(key.lastIndexOf('/') + 1);
    return { id: key, contentType: 'image/png', filename, ...this.objectAt(key) };
  }

  private objectAt(key: string): Pick<OutgoingFile, 'size' | 'read'> {
    return { size: () => this.objects.size(key), read: (range) => this.objects.get(key, range) };
  }

  private textOf(
    scope: Scope,
    { external_id: documentId, text_version: textVersion }: DocumentRow,
  ): Pick<OutgoingFile, 'size' | 'read'> {
    const version = { documentId, textVersion };
    const sizes = async () => {
      const parts = await this.texts.partSizes(scope, version);
      if (parts.length === 0) throw new FileReplaced();
      return parts;
    };
    return {
      size: async () => (await sizes()).reduce((sum, { bytes }) => sum + bytes, 0),
      read: async (range) =>
        readableOf(
          within(runsOf(await sizes()), range, async (parts) => {
            const content = await this.texts.parts(scope, version, parts);
            // Otherwise the stream would mix two versions.
            if (content === undefined) throw new FileReplaced();
            return Buffer.from(content);
          }),
        ),
    };
  }
}

async function readableOf(parts: AsyncGenerator<Buffer>): Promise<Readable> {
  return Readable.from(await begun(parts));
}

/** Consecutive parts of a text. One statement reads them, so that they belong to the same version. */
interface PartRun {
  readonly parts: readonly [first: number, last: number];
  readonly bytes: number;
}

/**
 * No further part is added to a run that has reached this size. Runs combine parts because appended texts can be short,
 * and each has its own part.
 */
const RUN_BYTES = 4 * 1024 * 1024;

function runsOf(parts: readonly { readonly part: number; readonly bytes: number }[]): PartRun[] {
  const runs: PartRun[] = [];
  for (const { part, bytes } of parts) {
    const last = runs.at(-1);
    if (last === undefined || last.bytes >= RUN_BYTES) runs.push({ parts: [part, part], bytes });
    else runs.splice(-1, 1, { parts: [last.parts[0], part], bytes: last.bytes + bytes });
  }
  return runs;
}

async function* within(
  runs: readonly PartRun[],
  { start, end }: ByteRange = { start: 0, end: Infinity },
  bytesOf: (parts: PartRun['parts']) => Promise<Buffer>,
): AsyncGenerator<Buffer> {
  let offset = 0;
  for (const { parts, bytes } of runs) {
    const from = Math.max(0, start - offset);
    const to = Math.min(bytes, end + 1 - offset);
    if (from < to) yield (await bytesOf(parts)).subarray(from, to);
    offset += bytes;
  }
}
