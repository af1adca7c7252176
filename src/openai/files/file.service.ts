import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { DataSource } from 'typeorm';
import { touches } from '../../access/touches.js';
import type { Scope } from '../../auth/scope.js';
import type { DocumentRow } from '../../corpus/document-row.js';
import { DocumentRepository } from '../../corpus/document.repository.js';
import type { WindowRows } from '../../corpus/vector-stores/creation-window.js';
import { StoreFileRepository } from '../../corpus/vector-stores/store-file.repository.js';
import { FileContents, type OutgoingFile } from '../../documents/files/file-contents.js';
import { newDocumentId, SourceStore } from '../../documents/files/source-store.js';
import { UploadReader } from '../../documents/files/upload-reader.js';
import { UploadedFileRemoval } from '../../documents/files/uploaded-file-removal.js';
import { BadRequest } from '../../errors/index.js';
import { ObjectStore } from '../../storage/object-store.js';
import { placesById, windowIn } from '../cursor-list.js';
import { idOf, knownUuid, notFound, uuidIn } from '../ids.js';
import { type FilesQuery, type ShownFile, UploadFileFields } from './file.dto.js';
import { FileRepository, type FileRow } from '../../corpus/vector-stores/file.repository.js';
import { Quotas } from '../../quotas/quotas.service.js';

/** File name of an upload without a file name. */
const UNNAMED = 'file';

/**
 * The files of the protocol. An uploaded file belongs to the end user of the key that uploaded it, or is shared. A
 * document that was ingested by other routes is a file too: it can be read here, but not deleted.
 */
@Injectable()
export class FileService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly files: FileRepository,
    private readonly storeFiles: StoreFileRepository,
    private readonly documents: DocumentRepository,
    private readonly contents: FileContents,
    private readonly removal: UploadedFileRemoval,
    private readonly uploads: UploadReader,
    private readonly sources: SourceStore,
    private readonly objects: ObjectStore,
    private readonly quotas: Quotas,
  ) {}

  /**
   * Stores an uploaded file.
   *
   * @param request a form with the file and the members of {@link UploadFileFields}
   * @throws PayloadTooLarge for a file over MAX_FILE_MB; Invalid for a wrong form.
   */
  upload(scope: Scope, request: FastifyRequest): Promise<FileRow> {
    const id = newDocumentId();
    const form = { fileField: 'file', fields: UploadFileFields, documentId: id };
    return this.uploads.read(request, scope, form, (upload) => {
      const file = this.uploads.theFile(upload);
      return this.dataSource.transaction(async (manager) => {
        await this.sources.keep(manager, scope, file);
        const row = await this.files.insert(manager, upload.scope, {
          id,
          purpose: upload.fields.purpose,
          filename: file.filename ?? UNNAMED,
          contentType: file.declaredType,
          bucket: file.bucket,
          key: file.key,
          bytes: file.size,
          sha256: file.sha256,
          expiresAfterSeconds: upload.fields['expires_after[seconds]'],
        });
        await this.quotas.take(manager, upload.scope, 'bytes', file.size);
        return row;
      });
    });
  }

  /** @throws Invalid for an unknown cursor. */
  async list(scope: Scope, query: FilesQuery): Promise<WindowRows<FileRow>> {
    const window = await windowIn(
      query,
      placesById('file', (id) => this.files.find(scope, id)),
    );
    return this.files.list(scope, query.purpose, window);
  }

  /** @throws NotFound */
  async get(scope: Scope, id: string): Promise<ShownFile> {
    const file = await this.uploaded(scope, id);
    if (file !== null) return file;
    const row = await this.ingested(scope, id);
    return {
      id: row.external_id,
      purpose: 'assistants',
      filename: row.filename ?? UNNAMED,
      createdAt: row.created_at,
      expiresAt: null,
      bytes: (await this.contents.of(scope, row).size()) ?? 0,
    };
  }

  /** @throws NotFound */
  async content(scope: Scope, id: string): Promise<OutgoingFile> {
    const file = await this.uploaded(scope, id);
    if (file === null) return this.contents.of(scope, await this.ingested(scope, id));
    const { key, contentType, filename } = file;
    return {
      id: key,
      contentType,
      filename,
      size: () => this.objects.size(key),
      read: (range) => this.objects.get(key, range),
    };
  }

  /**
   * Deletes a file and removes it from every vector store.
   * @throws NotFound; Forbidden if the key may not change the file, or one of its documents in the stores; BadRequest
   *   for a document that was ingested by other routes.
   */
  async delete(scope: Scope, id: string): Promise<void> {
    const uuid = knownUuid('file', id);
    if (await this.removal.remove(scope, uuid)) return;
    const { external_id: documentId } = await this.ingested(scope, id);
    throw new BadRequest(
      `The file is the document ${documentId}, which was not uploaded as a file: delete it with DELETE /documents/${documentId}`,
    );
  }

  private async uploaded(scope: Scope, id: string): Promise<FileRow | null> {
    const uuid = uuidIn('file', id);
    return uuid === undefined ? null : this.files.find(scope, uuid);
  }

  /** Returns the document to which a file id belongs, if the document was ingested by other routes. @throws NotFound */
  private async ingested(scope: Scope, id: string): Promise<DocumentRow> {
    const uuid = knownUuid('file', id);
    const row = await this.documents.find(scope, uuid);
    const file = row === null ? undefined : (await this.storeFiles.filesOf(scope, [uuid])).get(uuid);
    if (row === null || file === undefined || idOf('file', file.fileId) !== id) throw notFound('file', id);
    touches(scope, 'document', row.external_id, row);
    return row;
  }
}
