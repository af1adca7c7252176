import { Injectable } from '@nestjs/common';
import { imageSize } from 'image-size';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import type { Scope } from '../../auth/scope.js';
import type { DocumentRow } from '../../corpus/document-row.js';
import { NotFound } from '../../errors/index.js';
import type { PageView } from '../../parsing/pages/page-image.js';
import { PageRepository } from '../../pages/page.repository.js';
import { PageRenderer } from '../../parsing/pages/page-renderer.js';
import { ParseFailure } from '../../parsing/parse-failure.js';
import { currentSignal, runDetached, throwIfAborted } from '../../request/request-context.js';
import { ObjectStore } from '../../storage/object-store.js';
import { DocumentService } from '../document.service.js';
import { fileOf, uploadedType } from '../files/document-file.js';

const MEGABYTE = 2 ** 20;

/** Memory of the kept views: a page takes 0.2 to 0.5 MB. */
const MAX_KEPT = 32 * MEGABYTE;
/** Estimate for a word with its place. */
const WORD_BYTES = 150;

/** Maximum number of views drawn at once. Each keeps its file in memory. */
const AT_ONCE = 2;

/** A view that is being drawn. */
interface Drawing {
  readonly view: Promise<PageView | null>;
  /** Requests that wait for it. */
  waiting: number;
}

/** No request waits for the view any more. */
class Unwanted extends Error {}

/** Draws pages of documents when somebody looks at them, whether or not they were ingested with page images. */
@Injectable()
export class PageViews {
  private readonly kept = new LRUCache<string, PageView>({
    maxSize: MAX_KEPT,
    sizeCalculation: ({ png, words }) => png.length + words.length * WORD_BYTES + 1,
  });
  private readonly drawings = new Map<string, Drawing>();
  private readonly turns = pLimit(AT_ONCE);

  constructor(
    private readonly documents: DocumentService,
    private readonly renderer: PageRenderer,
    private readonly objects: ObjectStore,
    private readonly pages: PageRepository,
  ) {}

  /**
   * Draws pages of PDFs and pictures, and takes those of other formats from the images of the ingestion.
   *
   * @param pageNumber 1-based
   * @throws NotFound for an unknown or foreign document, for a page that does not exist or cannot be drawn, and for
   * other formats without page images.
   */
  async get(scope: Scope, documentId: string, pageNumber: number): Promise<PageView> {
    const row = await this.documents.get(scope, documentId);
    const files = filesWithPages(row);
    const areDrawn =
      files.length > 0 && files.every(({ contentType }) => this.renderer.hasOwnPages(contentType));
    const view = areDrawn ? await this.drawn(files, pageNumber) : await this.stored(scope, row, pageNumber);
    if (view === null) throw pageNotFound();
    return { ...view, pageNumber, pageCount: row.page_count ?? view.pageCount };
  }

  /** A page of appended files, whose pages are numbered on. */
  private async drawn(files: readonly DrawableFile[], pageNumber: number): Promise<PageView | null> {
    let before = 0;
    for (const file of files.slice(0, -1)) {
      const first = await this.view(file, 1);
      if (first === null) return null;
      if (pageNumber <= before + first.pageCount) return this.view(file, pageNumber - before);
      before += first.pageCount;
    }
    const last = files.at(-1);
    return last === undefined ? null : this.view(last, pageNumber - before);
  }

  /** The image of the ingestion, without words. */
  private async stored(scope: Scope, row: DocumentRow, pageNumber: number): Promise<PageView | null> {
    const [page] = await this.pages.list(scope, row.external_id, pageNumber, pageNumber);
    if (page === undefined) return null;
    const png = await this.objects.getBytes(page.object_key);
    const { width, height } = imageSize(new Uint8Array(png));
    return { pageNumber, pageCount: pageNumber, width, height, png, words: [] };
  }

  private async view(file: DrawableFile, pageNumber: number): Promise<PageView | null> {
    const key = `${file.key} ${pageNumber}`;
    const kept = this.kept.get(key);
    if (kept !== undefined) return kept;
    let drawing = this.drawings.get(key);
    if (drawing === undefined) {
      drawing = { view: runDetached(() => this.turns(() => this.draw(key, file, pageNumber))), waiting: 0 };
      this.drawings.set(key, drawing);
    }
    return this.waitFor(drawing);
  }

  private async waitFor(drawing: Drawing): Promise<PageView | null> {
    const signal = currentSignal();
    const leave = (): void => {
      drawing.waiting -= 1;
    };
    drawing.waiting += 1;
    signal?.addEventListener('abort', leave, { once: true });
    try {
      return await drawing.view;
    } catch (error) {
      if (error instanceof Unwanted) throwIfAborted();
      if (error instanceof ParseFailure) throw new NotFound(error.message, undefined, { cause: error });
      throw error;
    } finally {
      signal?.removeEventListener('abort', leave);
    }
  }

  /** Never cancelled: that would end the renderer process, and the next view would wait for a new one. */
  private async draw(key: string, { key: object, contentType }: DrawableFile, pageNumber: number) {
    try {
      if (this.drawings.get(key)?.waiting === 0) throw new Unwanted('no request waits for the page');
      const view = await this.renderer.view(await this.objects.getBytes(object), contentType, pageNumber);
      if (view !== null) this.kept.set(key, view);
      return view;
    } finally {
      this.drawings.delete(key);
    }
  }
}

interface DrawableFile {
  /** In the object store. */
  readonly key: string;
  readonly contentType: string;
}

/** The files of the document's text in order: the last replacement and what was appended; none if a text replaced them. */
function filesWithPages(row: DocumentRow): DrawableFile[] {
  const { stored, contentType } = fileOf(row);
  if (stored === null) return [];
  const replacements = row.update_history.filter(({ strategy }) => strategy === 'replace');
  const first = Math.max(0, ...replacements.map(({ version }) => version));
  const appendedTo = row.storage_files.slice(0, -1).filter(({ version }) => version >= first);
  return [
    ...appendedTo.map((file) => ({ key: file.key, contentType: uploadedType(file) })),
    // While a new version is processed, its type is unknown and the previous one is still answered from.
    { key: stored.key, contentType: row.status === 'completed' ? contentType : row.content_type },
  ];
}

function pageNotFound(): NotFound {
  return new NotFound('Page not found');
}
