import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import type { DocumentKey } from '../corpus/document.entity.js';
import { DocumentRepository } from '../corpus/document.repository.js';
import { currentSignal, runDetached } from '../request/request-context.js';

/** How often the documents that somebody waits for are looked at, in milliseconds. */
const LOOK_EVERY_MS = 200;

interface Waiter {
  readonly key: DocumentKey;
  readonly end: (error?: Error) => void;
}

/**
 * Waits for documents to leave the state `processing`, whichever process works on them. All that wait share one
 * statement.
 */
@Injectable()
export class StatusWatch implements BeforeApplicationShutdown {
  private readonly waiters = new Set<Waiter>();
  private isLooking = false;
  private isClosing = false;

  constructor(private readonly documents: DocumentRepository) {}

  /**
   * Resolves when the document is not `processing` (or not there) any more, at the latest after so many seconds, or when
   * the service closes. Rejects with the reason of the present signal, and with what the database says.
   */
  async settled(key: DocumentKey, seconds: number): Promise<void> {
    if (this.isClosing) return;
    const signal = currentSignal();
    signal?.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const waiter: Waiter = {
        key,
        end: (error) => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', leave);
          this.waiters.delete(waiter);
          if (error === undefined) resolve();
          else reject(error);
        },
      };
      const leave = () => {
        waiter.end(signal?.reason as Error);
      };
      const timer = setTimeout(waiter.end, 1_000 * seconds);
      signal?.addEventListener('abort', leave);
      this.waiters.add(waiter);
      if (!this.isLooking) void runDetached(() => this.look());
    });
  }

  /** Requests that wait would hold up the end. */
  beforeApplicationShutdown(): void {
    this.isClosing = true;
    for (const waiter of this.waiters) waiter.end();
  }

  private async look(): Promise<void> {
    this.isLooking = true;
    while (this.waiters.size > 0) {
      await this.endSettled([...this.waiters]);
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
    this.isLooking = false;
  }

  private async endSettled(waiters: readonly Waiter[]): Promise<void> {
    try {
      const processing = await this.documents.processing(waiters.map(({ key }) => key));
      for (const waiter of waiters) if (!processing.has(waiter.key.documentId)) waiter.end();
    } catch (error) {
      for (const waiter of waiters) waiter.end(error as Error);
    }
  }
}
