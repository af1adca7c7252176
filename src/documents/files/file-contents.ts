import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Scope } from '../../auth/scope.js';
import { DocumentRepository } from '../../corpus/document.repository.js';
import type { DocumentRow } from '../../corpus/document-row.js';
import { DocumentTextRepository } from '../../corpus/document-text.repository.js';
import { NotFound } from '../../errors/index.js';
import { PageRepository } from '../../pages/page.repository.js';
import { ObjectStore, type ByteRange } from '../../storage/object-store.js';
import { fileOf, type DocumentFile } from './document-file.js';

/** A file on its way out. */
export interface OutgoingFile extends Omit<DocumentFile, 'key'> {
  /** Bytes; undefined when the file has gone. */
  readonly size: () => Promise<number | undefined>;
  /** @throws Unavailable when what holds it is down. */
  readonly read: (range?: ByteRange) => Promise<Readable>;
}

/** Gives the files of documents: from the object store, or from the text that the database holds. */
@Injectable()
export class FileContents {
  constructor(
    private readonly dataSource: DataSource,
    private readonly documents: DocumentRepository,
    private readonly texts: DocumentTextRepository,
    private readonly objects: ObjectStore,
    private readonly pages: PageRepository,
  ) {}

  /** The file of a document as it is now. @throws NotFound when it has none. */
  of(scope: Scope, row: DocumentRow): OutgoingFile {
    const { key, ...file } = fileOf(row);
    return { ...file, ...(key === null ? this.textOf(scope, row) : this.objectAt(key)) };
  }

  /**
   * The file, or the image of a page, that a link names.
   * @throws NotFound once the document has another file or other pages, or is gone.
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
    const sizes = () => this.texts.partSizes(this.dataSource, scope, version);
    return {
      size: async () => (await sizes()).reduce((sum, { bytes }) => sum + bytes, 0),
      read: async (range) =>
        Readable.from(
          partsWithin(await sizes(), range, async (part) => {
            const content = await this.texts.part(this.dataSource, scope, version, part);
            // The rest of another version would be put behind the beginning of this one.
            if (content === undefined) throw new Error('the text changed while it was sent');
            return Buffer.from(content);
          }),
        ),
    };
  }
}

async function* partsWithin(
  parts: readonly { readonly part: number; readonly bytes: number }[],
  { start, end }: ByteRange = { start: 0, end: Infinity },
  bytesOf: (part: number) => Promise<Buffer>,
): AsyncGenerator<Buffer> {
  let offset = 0;
  for (const { part, bytes } of parts) {
    const from = Math.max(0, start - offset);
    const to = Math.min(bytes, end + 1 - offset);
    if (from < to) yield (await bytesOf(part)).subarray(from, to);
    offset += bytes;
  }
}
