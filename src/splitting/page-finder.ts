import type { PageSpan } from './piece.js';

/** Finds the page of ascending offsets, all together in one pass over the pages. */
export class PageFinder {
  private next = 0;

  constructor(private readonly pages: readonly PageSpan[]) {}

  /** 1-based number of the last page that starts at or before `offset`; null when the text has no pages. */
  pageOf(offset: number): number | null {
    for (let page = this.pages[this.next]; page !== undefined && page.start <= offset;) {
      this.next += 1;
      page = this.pages[this.next];
    }
    return (this.pages[this.next - 1] ?? this.pages[0])?.pageNumber ?? null;
  }
}
