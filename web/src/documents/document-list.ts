import type { ListedDocument } from '../api/lectern.js';
import type { ListQuery } from './list-query.js';

/** Documents per request. */
export const PAGE_SIZE = 100;
/** Delay between a scroll and the request for the rows in view, because a dragged scroll bar passes many rows. */
const SCROLL_MS = 80;

export interface ListedPage {
  readonly documents: readonly ListedDocument[];
  readonly total: number;
}

interface Page {
  readonly documents: readonly ListedDocument[];
  /** Whether the page was loaded since the last `refresh`. */
  readonly isFresh: boolean;
}

/** A sorted and filtered list of documents. Loads only the pages with rows in view. */
export class DocumentList {
  /** Number of documents in the list; null: not known yet. */
  total: number | null = null;
  error: unknown = null;
  private readonly pages = new Map<number, Page>();
  private readonly loads = new Map<number, AbortController>();
  private readonly listeners = new Set<() => void>();
  private first = 0;
  private last = 0;
  private timer: ReturnType<typeof setTimeout> | null = null;

  constructor(
    readonly query: ListQuery,
    private readonly load: (skip: number, signal: AbortSignal) => Promise<ListedPage>,
  ) {}

  /** Key of the query: equal for lists of the same query. */
  get key(): string {
    return JSON.stringify(this.query);
  }

  /** @returns the function to unsubscribe */
  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size === 0) this.stop();
    };
  }

  /** Returns the document in a row; null: the row is not loaded yet. */
  at(index: number): ListedDocument | null {
    return this.pages.get(pageOf(index))?.documents[index % PAGE_SIZE] ?? null;
  }

  /** Loads the rows from `first` to `last`, which are now in view. */
  need(first: number, last: number): void {
    [this.first, this.last] = [first, last];
    this.timer ??= setTimeout(() => {
      this.timer = null;
      this.loadNeeded();
    }, SCROLL_MS);
  }

  /** Loads the rows in view again, and the other rows when they come into view. */
  refresh(): void {
    this.error = null;
    for (const [number, { documents }] of this.pages) this.pages.set(number, { documents, isFresh: false });
    for (const load of this.loads.values()) load.abort();
    this.loads.clear();
    this.loadNeeded();
  }

  inView(): ListedDocument[] {
    const rows = Array.from({ length: this.last - this.first + 1 }, (_, offset) =>
      this.at(this.first + offset),
    );
    return rows.filter((row) => row !== null);
  }

  private loadNeeded(): void {
    const end = this.total === null ? 0 : Math.max(0, this.total - 1);
    const [from, to] = [pageOf(Math.min(this.first, end)), pageOf(Math.min(this.last, end))];
    for (const [number, load] of this.loads) {
      if (number >= from && number <= to) continue;
      load.abort();
      this.loads.delete(number);
    }
    for (let number = from; number <= to; number += 1) {
      if (this.pages.get(number)?.isFresh !== true && !this.loads.has(number)) void this.loadPage(number);
    }
  }

  private async loadPage(number: number): Promise<void> {
    const own = new AbortController();
    this.loads.set(number, own);
    try {
      const { documents, total } = await this.load(number * PAGE_SIZE, own.signal);
      if (own.signal.aborted) return;
      this.loads.delete(number);
      this.error = null;
      this.pages.set(number, { documents, isFresh: true });
      this.setTotal(total);
    } catch (error) {
      if (own.signal.aborted) return;
      this.loads.delete(number);
      this.error = error;
    }
    this.tell();
  }

  /** Drops pages out of view if the number of documents has changed, because their rows have moved. */
  private setTotal(total: number): void {
    if (this.total !== null && this.total !== total) {
      const [from, to] = [pageOf(this.first), pageOf(this.last)];
      for (const number of this.pages.keys()) if (number < from || number > to) this.pages.delete(number);
    }
    this.total = total;
    if (this.first >= total) this.loadNeeded(); // the rows in view no longer exist
  }

  private stop(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    for (const load of this.loads.values()) load.abort();
    this.loads.clear();
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}

function pageOf(index: number): number {
  return Math.floor(index / PAGE_SIZE);
}
