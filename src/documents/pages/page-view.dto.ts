import { ApiProperty } from '@nestjs/swagger';
import { around, type PageRectangle, type PageView } from '#reader';
import { Examples } from '../../http/input/examples.js';
import { FlagField, IntegerField, TextField } from '../../http/input/fields.js';
import { findQuote, shareFound } from '../../lexical/find-quote.js';

/** Maximum length of the text to find. No cited sentence is as long. */
const MAX_TEXT = 10_000;

export class PagePath {
  @TextField({ required: true, description: 'Document id, as listed by POST /documents.' })
  document_id: string;

  @IntegerField({ required: true, inText: true, description: 'Page number, 1-based.', example: 1 })
  page_number: number;
}

@Examples({ 'A sentence': { text: 'The main mirror was washed in the spring.' } })
export class PlacesRequest {
  @TextField({
    required: true,
    notBlank: true,
    maxLength: MAX_TEXT,
    description:
      'The text to find, such as the `quote` of a citation. Case, punctuation, white space and line ends do not matter.',
    example: 'The main mirror was washed in the spring.',
  })
  text: string;

  @FlagField({
    nullable: true,
    description:
      'Whether to look on the other pages too. The response is then about the page that has most of the text; if no page has it, about the page of the path.',
    example: false,
  })
  anywhere: boolean | null = null;
}

export class RectangleDto implements PageRectangle {
  @ApiProperty({
    description: 'Distance from the left edge, as a fraction of the page width.',
    example: 0.12,
  })
  left: number;

  @ApiProperty({
    description: 'Distance from the top edge, as a fraction of the page height.',
    example: 0.34,
  })
  top: number;

  @ApiProperty({ description: 'Width, as a fraction of the page width.', example: 0.5 })
  width: number;

  @ApiProperty({ description: 'Height, as a fraction of the page height.', example: 0.02 })
  height: number;
}

export class PlacesDto {
  @ApiProperty({ type: 'integer', description: 'Page number, 1-based.', example: 3 })
  page_number: number;

  @ApiProperty({ type: 'integer', description: 'Number of pages of the file.', example: 12 })
  page_count: number;

  @ApiProperty({ type: 'integer', description: 'Width of the image in pixels.', example: 1240 })
  image_width: number;

  @ApiProperty({ type: 'integer', description: 'Height of the image in pixels.', example: 1754 })
  image_height: number;

  @ApiProperty({
    type: [RectangleDto],
    description:
      'The lines of the text on the page. Empty if the text is not on the page, or the page has no text layer (a scan).',
  })
  places: RectangleDto[];
}

/** Finds a text on a page. The result has one rectangle for each line of the text. */
export function placesOn(view: PageView, text: string): PlacesDto {
  const { pageNumber, pageCount, width, height, words } = view;
  const ranges = findQuote(
    words.map((word) => word.text),
    text,
  );
  return {
    page_number: pageNumber,
    page_count: pageCount,
    image_width: width,
    image_height: height,
    places: ranges.flatMap(({ first, last }) => inLines(words.slice(first, last + 1))),
  };
}

/**
 * Returns the number of the page (1-based) that has most of a text, preferably `preferred`; null if no page has it.
 * @param pages the words of each page
 */
export function pageWith(
  pages: readonly (readonly string[])[],
  text: string,
  preferred: number,
): number | null {
  let best: { readonly page: number; readonly share: number } | null = null;
  const from = Math.max(0, preferred - 1);
  const order = [...pages.keys()].slice(from).concat([...pages.keys()].slice(0, from));
  for (const index of order) {
    const share = shareFound(pages[index] ?? [], text);
    if (share > (best?.share ?? 0)) best = { page: index + 1, share };
    if (share === 1) break;
  }
  return best?.page ?? null;
}

/** Maximum space between two words of one line, as a multiple of a word's height. */
const WIDEST_SPACE = 2;

function inLines(words: readonly PageRectangle[]): PageRectangle[] {
  const lines: PageRectangle[] = [];
  for (const { left, top, width, height } of words) {
    const word = { left, top, width, height };
    const line = lines.at(-1);
    if (line !== undefined && isNext(line, word)) lines[lines.length - 1] = around([line, word]);
    else lines.push(word);
  }
  return lines;
}

function isNext(line: PageRectangle, word: PageRectangle): boolean {
  const shared = Math.min(line.top + line.height, word.top + word.height) - Math.max(line.top, word.top);
  const gap = Math.max(word.left - (line.left + line.width), line.left - (word.left + word.width));
  return shared > Math.min(line.height, word.height) / 2 && gap <= word.height * WIDEST_SPACE;
}
