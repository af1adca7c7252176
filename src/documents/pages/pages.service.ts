import { Injectable } from '@nestjs/common';
import type { Scope } from '../../auth/scope.js';
import { Invalid, Unavailable } from '../../errors/index.js';
import { PageImages } from '../../pages/page-images.js';
import { PageRepository } from '../../pages/page.repository.js';
import { DocumentService } from '../document.service.js';
import type { DocumentPagesDto, PageFormat } from './pages.dto.js';

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
    private readonly pageImages: PageImages,
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
    for (const page of pages) {
      const image =
        format === 'url' ? this.pageImages.link(scope, id, page) : await this.pageImages.dataUri(page);
      if (image === null) throw new Unavailable('The document has just got other pages; ask again', 1);
      images.push(image);
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
