import { Injectable } from '@nestjs/common';
import type { Scope } from '../../auth/scope.js';
import { Invalid } from '../../errors/index.js';
import { PageRepository } from '../../pages/page.repository.js';
import { ObjectStore } from '../../storage/object-store.js';
import { DocumentService } from '../document.service.js';
import { FileLinks } from '../files/file-links.js';
import type { DocumentPagesDto, PageFormat } from './pages.dto.js';

/** Seconds for which a link to a page works. */
const LINK_SECONDS = 3_600;

/** Which pages of a document, counted from 1, both included. */
interface PageRange {
  readonly first: number;
  readonly last: number;
}

/** Gives the page images of documents. */
@Injectable()
export class PagesService {
  constructor(
    private readonly documents: DocumentService,
    private readonly pages: PageRepository,
    private readonly objects: ObjectStore,
    private readonly links: FileLinks,
  ) {}

  /**
   * @throws NotFound for an unknown or foreign document, Invalid when it has no page images or none from the first on.
   */
  async images(
    scope: Scope,
    documentId: string,
    { first, last }: PageRange,
    format: PageFormat,
  ): Promise<DocumentPagesDto> {
    const { external_id: id } = await this.documents.get(scope, documentId);
    const total = await this.pages.last(scope, id);
    if (first > total) throw Invalid.at(['body', 'start_page'], `Value error, ${outOf(total)}`);
    const pages = await this.pages.list(scope, id, first, last);
    const images: string[] = [];
    for (const { objectKey } of pages) {
      images.push(
        format === 'url'
          ? this.links.linkTo(scope, id, objectKey, LINK_SECONDS)
          : `data:image/png;base64,${(await this.objects.getBytes(objectKey)).toString('base64')}`,
      );
    }
    return {
      document_id: id,
      pages: images,
      start_page: first,
      end_page: pages.at(-1)?.pageNumber ?? first,
      total_pages: total,
    };
  }
}

function outOf(total: number): string {
  if (total === 0) return 'the document has no page images: ingest it with use_colpali';
  return `the document has ${total} ${total === 1 ? 'page' : 'pages'}`;
}
