import { setTimeout as after } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import pLimit from 'p-limit';
import { DataSource } from 'typeorm';
import { type ConvertedPdf, PageRenderer, ParseFailure } from '#reader';
import type { DocumentKey } from '../../corpus/document.entity.js';
import { renditionKey, type Rendition } from '../../corpus/document-row.js';
import { DocumentRepository } from '../../corpus/document.repository.js';
import { NotFound, Unavailable } from '../../errors/index.js';
import { ObjectTombstones } from '../../ingestion/object-tombstones.js';
import { currentSignal, runDetached } from '../../request/request-context.js';
import { ObjectStore } from '../../storage/object-store.js';

/** Maximum wait of a request for a conversion. Most take 2 to 4 s. */
const WAIT_MS = 15_000;
const RETRY_SECONDS = 3;

/** Maximum number of conversions that wait or run. One runs at a time. */
const MAX_QUEUED = 32;

/** Seconds after which a stored PDF counts as abandoned if no document refers to it. */
const ABANDONED_AFTER_SECONDS = 3_600;

/** A stored file whose pages are to be drawn. */
export interface PagedFile extends DocumentKey {
  /** Object key of the file. */
  readonly key: string;
  readonly contentType: string;
  readonly rendition: Rendition | undefined;
}

/**
 * Renditions: PDFs that LibreOffice makes of office files, to draw their pages. A file is converted when its pages are
 * first asked for; its PDF is stored beside it, and deleted with the document.
 */
@Injectable()
export class Renditions {
  private readonly logger = new Logger(Renditions.name);
  private readonly conversions = new Map<string, Promise<void>>();
  private readonly turns = pLimit(1);

  constructor(
    private readonly dataSource: DataSource,
    private readonly documents: DocumentRepository,
    private readonly objects: ObjectStore,
    private readonly renderer: PageRenderer,
    private readonly tombstones: ObjectTombstones,
  ) {}

  /** Whether a file has a PDF or, as far as is known, one can be made. */
  async isPossible({ key, contentType, rendition }: PagedFile): Promise<boolean> {
    if (rendition !== undefined && 'error' in rendition) return false;
    if (await this.renderer.canRender(contentType)) return true;
    return rendition !== undefined && this.objects.exists(renditionKey(key));
  }

  /**
   * Returns the object key of the PDF of a file. Converts the file if there is no PDF, once for all requests.
   *
   * @throws NotFound with the reason if the file cannot be converted; Unavailable if the conversion takes longer than a
   * request waits, or too many conversions are queued.
   */
  async keyOf(file: PagedFile): Promise<string> {
    const key = renditionKey(file.key);
    // A restored document has no PDF, although its row names one.
    if (file.rendition !== undefined && (await this.objects.exists(key))) return key;
    await this.waitFor(this.conversionOf(file));
    return key;
  }

  /** Maximum wait of a request; specs narrow it. */
  protected waitMs(): number {
    return WAIT_MS;
  }

  private conversionOf(file: PagedFile): Promise<void> {
    const running = this.conversions.get(file.key);
    if (running !== undefined) return running;
    if (this.conversions.size >= MAX_QUEUED) throw busy('Too many documents are being converted');
    const conversion = runDetached(() => this.turns(() => this.convert(file))).finally(() =>
      this.conversions.delete(file.key),
    );
    conversion.catch((error: unknown) => {
      if (!(error instanceof NotFound)) this.logger.warn({ err: error }, 'cannot convert a document to PDF');
    });
    this.conversions.set(file.key, conversion);
    return conversion;
  }

  private async waitFor(conversion: Promise<void>): Promise<void> {
    const done = new AbortController();
    const signal = AbortSignal.any([done.signal, currentSignal() ?? done.signal]);
    const tooLong = async (): Promise<never> => {
      await after(this.waitMs(), undefined, { signal });
      throw busy('The document is being converted to show its pages');
    };
    try {
      await Promise.race([conversion, tooLong()]);
    } finally {
      done.abort();
    }
  }

  private async convert(file: PagedFile): Promise<void> {
    const { appId } = file;
    const made = await this.made(file);
    const tombstone = { appId, key: renditionKey(file.key) };
    await this.tombstones.add(tombstone, ABANDONED_AFTER_SECONDS);
    try {
      await this.objects.put(tombstone.key, made.pdf, 'application/pdf');
      await this.dataSource.transaction(async (manager) => {
        const rendition = { pages: made.pageCount };
        if (!(await this.documents.setRendition(manager, file, file.key, rendition))) {
          throw new NotFound('Document not found');
        }
        await this.tombstones.cancel(manager, tombstone);
      });
    } catch (error) {
      await this.tombstones.deleteObjects(tombstone);
      throw error;
    }
  }

  /** Converts a file. Records a failure of the file, so that it is not tried again. */
  private async made(file: PagedFile): Promise<ConvertedPdf> {
    try {
      return await this.renderer.toPdf(await this.objects.getBytes(file.key), file.contentType);
    } catch (error) {
      if (!(error instanceof ParseFailure)) throw error;
      await this.documents.setRendition(this.dataSource, file, file.key, { error: error.message });
      throw new NotFound(error.message, undefined, { cause: error });
    }
  }
}

function busy(reason: string): Unavailable {
  return new Unavailable(`${reason}; try again in a few seconds`, RETRY_SECONDS);
}
