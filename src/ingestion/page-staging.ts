import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type PageImage, PageRenderer } from '#reader';
import { type Scope, tenantOf } from '../auth/scope.js';
import type { DocumentKey } from '../corpus/document.entity.js';
import type { DocumentRow } from '../corpus/document-row.js';
import type { Queryable } from '../database/run.js';
import { Unavailable } from '../errors/index.js';
import { PageEmbedder, type MultiVector } from '../models/multivector/page-embedder.js';
import type { NewPage } from '../pages/page.js';
import { encodedPage } from '../pages/page-vectors.js';
import { PageSpace } from '../chunks/vectors/vector-space.js';
import { PageRepository } from '../pages/page.repository.js';
import { objectKey } from '../storage/object-key.js';
import { ObjectStore } from '../storage/object-store.js';
import type { BackgroundWork } from './content-reader.js';
import type { Lease } from './lease.js';
import { ObjectTombstones } from './object-tombstones.js';
import { pagesBefore } from './text-patch.js';
import type { RuledContent } from './rules/content-rules.js';
import type { Draft, NewContent, PagePlan, StagedPages } from './version.js';

/** Pages per batch. All images of a batch are in memory. */
const BATCH = 8;

/** Seconds after which images of a batch count as abandoned if no row refers to them. */
const ABANDONED_AFTER_SECONDS = 3_600;

/**
 * Renders and embeds the pages of new content. Stages each batch of pages under the revision of the job, which is
 * invisible to readers. A resumed job continues after its staged batches.
 */
@Injectable()
export class PageStaging {
  constructor(
    private readonly dataSource: DataSource,
    private readonly rows: PageRepository,
    private readonly space: PageSpace,
    private readonly objects: ObjectStore,
    private readonly tombstones: ObjectTombstones,
    private readonly renderer: PageRenderer,
    @Inject(PageEmbedder) private readonly embedder: PageEmbedder | null,
  ) {}

  /** Whether the pages of content are to be indexed as images. */
  appliesTo({ wantsPages, source }: NewContent): boolean {
    return wantsPages && source.kind === 'file';
  }

  /** Plans the pages to render. Returns null if there are no pages to render, or the format cannot be rendered. */
  async plan(
    row: DocumentRow,
    content: NewContent,
    { document, ruled }: RuledContent & Pick<Draft, 'ruled'>,
  ): Promise<PagePlan | null> {
    const { source, strategy } = content;
    if (!this.appliesTo(content) || source.kind !== 'file') return null;
    if (!(await this.renderer.canRender(document.contentType))) return null;
    return {
      key: source.key,
      contentType: document.contentType,
      firstPage: pagesBefore(row, strategy) + 1,
      // If a rule has changed the text, the text layer of the pages is not used, because it could contain text that the
      // rule removed.
      texts:
        ruled.text === null && !this.renderer.hasOwnPages(document.contentType)
          ? null
          : document.pages.map(({ start, end }) => document.text.slice(start, end)),
    };
  }

  /**
   * Stages the pages of a draft.
   * @returns null if the draft has no pages
   * @throws ParseFailure if a page cannot be rendered; LeaseLost; the errors of the page embedder and the object store.
   */
  async stage(draft: Draft, { lease, report }: BackgroundWork): Promise<StagedPages | null> {
    const { pages: plan, scope, document } = draft;
    const { revision } = lease.job;
    const staged = await this.reusable(draft, lease);
    if (plan === null) return null;
    let next = plan.firstPage + staged;
    const bytes = await this.objects.getBytes(plan.key);
    let batch: PageImage[] = [];
    const flush = async (pageCount: number): Promise<void> => {
      await this.write({ scope, documentId: document.external_id, plan, lease }, next, batch);
      next += batch.length;
      batch = [];
      await report((next - plan.firstPage) / pageCount);
    };
    let pageCount = staged;
    for await (const page of this.renderer.render(bytes, plan.contentType, staged)) {
      ({ pageCount } = page);
      batch.push(page);
      if (batch.length === BATCH) await flush(pageCount);
    }
    if (batch.length > 0) await flush(pageCount);
    return { revision, lastPage: next - 1 };
  }

  /**
   * Removes the pages of revisions, whether visible or staged. The images of the pages are deleted after the
   * transaction.
   */
  async remove(manager: Queryable, document: DocumentKey, revisions: readonly string[]): Promise<void> {
    if (revisions.length === 0) return; // most documents have none
    for (const key of await this.rows.remove(manager, document, revisions)) {
      await this.tombstones.add({ appId: document.appId, key }, 0, manager);
    }
  }

  /** Returns the number of staged pages that match the draft. If one of them does not match, drops all staged pages. */
  private async reusable({ pages: plan, scope, document }: Draft, lease: Lease): Promise<number> {
    const { revision } = lease.job;
    const staged = await this.rows.staged(scope, document.external_id, revision);
    const isReusable =
      plan !== null && staged.every((pageNumber, index) => pageNumber === plan.firstPage + index);
    if (isReusable || staged.length === 0) return staged.length;
    await this.dataSource.transaction(async (manager) => {
      await lease.advance(manager);
      await this.remove(manager, { appId: scope.appId, documentId: document.external_id }, [revision]);
    });
    return 0;
  }

  /**
   * Embeds pages if a model is configured, stores their images and writes their rows. Removes the images after a
   * failure.
   */
  private async write(
    { scope, documentId, plan, lease }: Target,
    first: number,
    images: readonly PageImage[],
  ): Promise<void> {
    const { appId } = scope;
    const vectors = await this.embedded(images);
    const folder = objectKey(tenantOf(appId), documentId, 'pages', randomUUID());
    const tombstone = { appId, key: `${folder}/` };
    await this.tombstones.add(tombstone, ABANDONED_AFTER_SECONDS);
    try {
      const rows: NewPage[] = [];
      for (const [index, image] of images.entries()) {
        const { png, text, width, height, fingerprint } = image;
        const pageNumber = first + index;
        const pageVectors = vectors?.[index];
        const key = `${folder}/${objectKey(`${pageNumber}.png`)}`;
        const { size } = await this.objects.put(key, png, 'image/png', lease.signal);
        rows.push({
          pageNumber,
          objectKey: key,
          imageSize: size,
          width,
          height,
          content: plan.texts === null ? text : (plan.texts[image.pageNumber - 1] ?? ''),
          encoded: pageVectors === undefined ? null : encodedPage(pageVectors),
          fingerprint,
        });
      }
      await this.dataSource.transaction(async (manager) => {
        await lease.advance(manager);
        if (!(await this.tombstones.cancel(manager, tombstone))) {
          throw new Unavailable('Storing the page images took too long');
        }
        for (const dims of new Set(vectors?.map((page) => page.dims))) await this.space.join(manager, dims);
        await this.rows.stage(manager, { appId, documentId }, lease.job.revision, rows);
        await this.space.requireOwnIn(manager);
      });
    } catch (error) {
      await this.tombstones.deleteObjects(tombstone);
      throw error;
    }
  }

  /** Returns one multi-vector per page, in order, or null if no page embedder is configured. */
  private async embedded(images: readonly PageImage[]): Promise<MultiVector[] | null> {
    if (this.embedder === null) return null;
    const vectors = await this.embedder.embedPages(images.map(({ png }) => png));
    if (vectors.length !== images.length) {
      throw new Error(`the page embedder returned ${vectors.length} results for ${images.length} pages`);
    }
    return vectors;
  }
}

interface Target {
  readonly scope: Scope;
  readonly documentId: string;
  readonly plan: PagePlan;
  readonly lease: Lease;
}
