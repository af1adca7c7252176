import type { ListedDocument } from '../api/lectern.js';
import type { ListQuery } from './list-query.js';

/** Documents per request. */
export const PAGE_SIZE = 100;
/** Pause before requests for rows that are scrolled to: a dragged scroll bar passes many. */
const SCROLL_MS = 80;

export interface ListedPage {
  readonly documents: readonly ListedDocument[];
  /** Number of documents in the whole list. */
  readonly total: number;
}

interface Page {
  readonly documents: readonly ListedDocument[];
  /** Whether it was loaded since the last `refresh`. */
  readonly isFresh: boolean;
}

/** A sorted and filtered list of the service, of which only the pages that are looked at are loaded. */
export class DocumentList {
  /** null: not known yet. */
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

  /** Equal for lists of the same query. */
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

  /** null: not loaded yet. */
  at(index: number): ListedDocument | null {
    return this.pages.get(pageOf(index))?.documents[index % PAGE_SIZE] ?? null;
  }

  /** Loads the rows from `first` to `last`, which are looked at. */
  need(first: number, last: number): void {
    [this.first, this.last] = [first, last];
    this.timer ??= setTimeout(() => {
      this.timer = null;
      this.loadNeeded();
    }, SCROLL_MS);
  }

  /** Loads the rows that are looked at again; other ones as soon as they are looked at. */
  refresh(): void {
    this.error = null;
    for (const [number, { documents }] of this.pages) this.pages.set(number, { documents, isFresh: false });
    for (const load of this.loads.values()) load.abort();
    this.loads.clear();
    this.loadNeeded();
  }

  /** The loaded documents that are looked at. */
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

  /** Rows have moved if the number of documents changed. */
  private setTotal(total: number): void {
    if (this.total !== null && this.total !== total) {
      const [from, to] = [pageOf(this.first), pageOf(this.last)];
      for (const number of this.pages.keys()) if (number < from || number > to) this.pages.delete(number);
    }
    this.total = total;
    if (this.first >= total) this.loadNeeded(); // the rows looked at are gone
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
