import { Injectable } from '@nestjs/common';
import { imageSize } from 'image-size';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import { PageRenderer, type PageView, ParseFailure } from '#reader';
import type { Scope } from '../../auth/scope.js';
import type { DocumentRow } from '../../corpus/document-row.js';
import { NotFound } from '../../errors/index.js';
import { PageRepository } from '../../pages/page.repository.js';
import { currentSignal, runDetached, throwIfAborted } from '../../request/request-context.js';
import { ObjectStore } from '../../storage/object-store.js';
import { DocumentService } from '../document.service.js';
import { fileOf, uploadedType } from '../files/document-file.js';
import { pageWith, type PlacesDto, placesOn } from './page-view.dto.js';
import { type PagedFile, Renditions } from './renditions.js';

const MEGABYTE = 2 ** 20;

/** Maximum size of the cached views in bytes. A page takes 0.2 to 0.5 MB. */
const MAX_KEPT = 32 * MEGABYTE;
/** Estimated memory for a word and its place on the page, in bytes. */
const WORD_BYTES = 150;

/** Maximum size of the cached words of documents, in UTF-16 code units. */
const MAX_WORDS = 8 * MEGABYTE;

/** Maximum number of views that are drawn at once. Each drawing keeps its file in memory. */
const AT_ONCE = 2;

/** How a document shows its pages: drawn from its file, with the places of words, or as stored images without them. */
export type PageSource = 'drawn' | 'stored';

export interface ShownPages {
  readonly page_view: PageSource | null;
  /** Number of drawn pages of an office document; absent until they are drawn for the first time. */
  readonly drawn_page_count?: number;
}

interface Drawing {
  readonly view: Promise<PageView | null>;
  /** Number of requests that wait for the view. */
  waiting: number;
}

/** Thrown if no request waits for the view any more. */
class Unwanted extends Error {}

/** Draws pages of documents on request, whether or not the documents were ingested with page images. */
@Injectable()
export class PageViews {
  private readonly kept = new LRUCache<string, PageView>({
    maxSize: MAX_KEPT,
    sizeCalculation: ({ png, words }) => png.length + words.length * WORD_BYTES + 1,
  });
  private readonly words = new LRUCache<string, readonly (readonly string[])[]>({
    maxSize: MAX_WORDS,
    sizeCalculation: (pages) => pages.flat().reduce((sum, word) => sum + word.length + 8, 1),
  });
  private readonly drawings = new Map<string, Drawing>();
  private readonly turns = pLimit(AT_ONCE);

  constructor(
    private readonly documents: DocumentService,
    private readonly renderer: PageRenderer,
    private readonly objects: ObjectStore,
    private readonly pages: PageRepository,
    private readonly renditions: Renditions,
  ) {}

  /** Returns how the pages of a document can be seen; null: not at all. */
  async shown(row: DocumentRow): Promise<ShownPages> {
    const files = filesWithPages(row);
    if (!(await this.areDrawn(files))) return { page_view: row.page_revisions.length > 0 ? 'stored' : null };
    const counts = files.map(({ rendition }) => (rendition && 'pages' in rendition ? rendition.pages : null));
    const count = counts.reduce((sum, pages) => (sum === null || pages === null ? null : sum + pages), 0);
    return { page_view: 'drawn', ...(count === null ? {} : { drawn_page_count: count }) };
  }

  /**
   * Draws pages of PDFs, of pictures and, with LibreOffice, of office documents. For other formats, returns the page
   * images that the ingestion stored.
   *
   * @param pageNumber 1-based
   * @throws NotFound for a document that does not exist or is not visible to the key, for a page that does not exist or
   * cannot be drawn, and for other formats without page images; Unavailable while an office document is converted.
   */
  async get(scope: Scope, documentId: string, pageNumber: number): Promise<PageView> {
    return this.viewOf(scope, await this.documents.get(scope, documentId), pageNumber);
  }

  /**
   * Finds a text on a page.
   *
   * @param anywhere whether to look on the other pages too
   * @throws like {@link get}
   */
  async places(
    scope: Scope,
    documentId: string,
    pageNumber: number,
    { text, anywhere }: { readonly text: string; readonly anywhere: boolean },
  ): Promise<PlacesDto> {
    const row = await this.documents.get(scope, documentId);
    const found = anywhere ? pageWith(await this.wordsOf(row), text, pageNumber) : null;
    return placesOn(await this.viewOf(scope, row, found ?? pageNumber), text);
  }

  /** @throws NotFound for a page that does not exist or cannot be drawn */
  private async viewOf(scope: Scope, row: DocumentRow, pageNumber: number): Promise<PageView> {
    const files = filesWithPages(row);
    if (!(await this.areDrawn(files))) {
      const view = await this.stored(scope, row, pageNumber);
      if (view === null) throw pageNotFound();
      return { ...view, pageCount: row.page_count ?? view.pageCount };
    }
    const drawable = await this.drawable(files);
    const view = await this.drawn(drawable, pageNumber);
    if (view === null) throw pageNotFound();
    const isOwn = files.every(({ contentType }) => this.renderer.hasOwnPages(contentType));
    const pageCount = isOwn ? (row.page_count ?? view.pageCount) : await this.countOf(drawable);
    return { ...view, pageNumber, pageCount };
  }

  private async countOf(files: readonly DrawableFile[]): Promise<number> {
    let count = 0;
    for (const file of files) count += (await this.view(file, 1))?.pageCount ?? 0;
    return count;
  }

  /** Whether all files of a document can be drawn. */
  private async areDrawn(files: readonly PagedFile[]): Promise<boolean> {
    for (const file of files) {
      if (this.renderer.hasOwnPages(file.contentType)) continue;
      if (!(await this.renditions.isPossible(file))) return false;
    }
    return files.length > 0;
  }

  /** Returns the files to draw: PDFs instead of office files. */
  private async drawable(files: readonly PagedFile[]): Promise<DrawableFile[]> {
    const drawable: DrawableFile[] = [];
    for (const file of files) {
      if (this.renderer.hasOwnPages(file.contentType)) drawable.push(file);
      else drawable.push({ key: await this.renditions.keyOf(file), contentType: PDF });
    }
    return drawable;
  }

  /** Returns the words of each page; an empty list if the pages are not drawn. */
  private async wordsOf(row: DocumentRow): Promise<(readonly string[])[]> {
    const files = filesWithPages(row);
    if (!(await this.areDrawn(files))) return [];
    const pages: (readonly string[])[] = [];
    for (const { key, contentType } of await this.drawable(files)) {
      if (contentType !== PDF) {
        const first = await this.view({ key, contentType }, 1);
        for (let page = 0; page < (first?.pageCount ?? 0); page += 1) pages.push([]);
        continue;
      }
      const words = this.words.get(key) ?? (await this.renderer.words(await this.objects.getBytes(key)));
      this.words.set(key, words);
      pages.push(...words);
    }
    return pages;
  }

  /** Draws a page of a document. If the document consists of several files, their pages are numbered consecutively. */
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

  /** Returns the page image that the ingestion stored. The words of such a page are unknown. */
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

  /**
   * Draws a page. A drawing that has started is never cancelled: a cancellation would end the renderer process, and the
   * next view would wait for a new process.
   */
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

const PDF = 'application/pdf';

interface DrawableFile {
  /** Object key of the file. */
  readonly key: string;
  readonly contentType: string;
}

/**
 * Returns the files that contain the document's text, in order: the file of the last replacement, then the files that
 * were appended later. Returns an empty list if a text has replaced the files.
 */
function filesWithPages(row: DocumentRow): PagedFile[] {
  const { stored, contentType } = fileOf(row);
  if (stored === null) return [];
  const replacements = row.update_history.filter(({ strategy }) => strategy === 'replace');
  const first = Math.max(0, ...replacements.map(({ version }) => version));
  const appendedTo = row.storage_files.slice(0, -1).filter(({ version }) => version >= first);
  const document = { appId: row.app_id, documentId: row.external_id };
  return [
    ...appendedTo.map((file) => ({
      ...document,
      key: file.key,
      contentType: uploadedType(file),
      rendition: file.rendition,
    })),
    // Until the first version is finished, `fileOf` does not know the type. The declared type is used until then.
    {
      ...document,
      key: stored.key,
      contentType: row.status === 'completed' ? contentType : row.content_type,
      rendition: row.storage_files.at(-1)?.rendition,
    },
  ];
}

function pageNotFound(): NotFound {
  return new NotFound('Page not found');
}
