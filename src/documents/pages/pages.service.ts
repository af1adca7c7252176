import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import type { Scope } from '../../auth/scope.js';
import { Invalid, Unavailable } from '../../errors/index.js';
import { CrossField } from '../../http/input/input.pipe.js';
import { Examples } from '../../http/input/examples.js';
import { ChoiceField, IntegerField, TextField } from '../../http/input/fields.js';
import { PageImages } from '../../pages/page-images.js';
import { PageRepository } from '../../pages/page.repository.js';
import { DocumentService } from '../document.service.js';

const ID = '8f14e45f-ceea-467f-9a0c-1c1e3b1f2d4a';

const MAX_PAGES = 100;

const PAGE_FORMATS = ['base64', 'url'] as const;
type PageFormat = (typeof PAGE_FORMATS)[number];

@Examples({
  'The first two pages': {
    document_id: 'an id from POST /documents',
    start_page: 1,
    end_page: 2,
    output_format: 'url',
  },
})
@CrossField<PagesRequest>(['start_page', 'end_page'], ({ start_page: start, end_page: end }) => {
  if (end < start) throw Invalid.at(['end_page'], 'Value error, end_page is before start_page');
  if (end - start < MAX_PAGES) return;
  throw Invalid.at(['end_page'], `Value error, at most ${MAX_PAGES} pages at once`);
})
export class PagesRequest {
  @TextField({ required: true, description: 'Document id.', example: ID })
  document_id: string;

  @IntegerField({ required: true, min: 1, description: 'First page, 1-based.', example: 1 })
  start_page: number;

  @IntegerField({
    required: true,
    min: 1,
    description: `Last page, inclusive; at most ${MAX_PAGES} pages per request. Pages after the end are omitted.`,
    example: 2,
  })
  end_page: number;

  @ChoiceField({
    values: PAGE_FORMATS,
    nullable: true,
    description: 'base64: data URIs. url: links that work without a key until they expire.',
    example: 'base64',
    openapi: { default: 'base64' },
  })
  output_format: PageFormat | null = 'base64';
}

export class DocumentPagesDto {
  @ApiProperty({ description: 'Document id.', example: ID })
  document_id: string;

  @ApiProperty({
    type: [String],
    description: 'One PNG per page, in order: a data URI or a link.',
    example: ['data:image/png;base64,iVBORw0KGgo...'],
  })
  pages: string[];

  @ApiProperty({ type: 'integer', description: 'Number of the first returned page.', example: 1 })
  start_page: number;

  @ApiProperty({ type: 'integer', description: 'Number of the last returned page.', example: 2 })
  end_page: number;

  @ApiProperty({
    type: 'integer',
    description: 'Number of the last page with an image.',
    example: 12,
  })
  total_pages: number;
}

/** A page range, 1-based and inclusive. */
interface PageRange {
  readonly first: number;
  readonly last: number;
}

@Injectable()
export class PagesService {
  constructor(
    private readonly documents: DocumentService,
    private readonly pages: PageRepository,
    private readonly pageImages: PageImages,
  ) {}

  /**
   * @throws NotFound for a document that does not exist or is not visible to the key, Invalid if the document has no
   * page image at or after the first requested page.
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
    for (const { object_key: key } of pages) {
      const image =
        format === 'url' ? this.pageImages.link(scope, id, key) : await this.pageImages.dataUri(key);
      if (image === null) throw new Unavailable('The pages of the document were just replaced; try again', 1);
      images.push(image);
    }
    return {
      document_id: id,
      pages: images,
      start_page: first,
      end_page: pages.at(-1)?.page_number ?? first,
      total_pages: total,
    };
  }
}

function outOf(total: number): string {
  if (total === 0) return 'the document has no page images: ingest it with use_colpali';
  return `the document has ${total} ${total === 1 ? 'page' : 'pages'}`;
}
