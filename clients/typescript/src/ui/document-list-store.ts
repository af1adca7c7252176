import type { LecternClient } from '../client.js';
import { LecternError } from '../errors.js';
import { pause } from '../retry.js';
import type { ListedDocument, StreamEvent } from '../types.js';
import { Store } from './store.js';

export interface DocumentListOptions {
  readonly filters?: Readonly<Record<string, unknown>>;
  readonly folder_name?: string[];
  readonly folder_depth?: number;
  /** Documents at first, and for each call of `more`; 50 by default. */
  readonly pageSize?: number;
}

export interface ShownDocument {
  readonly id: string;
  readonly filename: string | null;
  readonly status: 'processing' | 'completed' | 'failed';
  /** While the document is being read: the step, and how much of the whole is done. */
  readonly progress: { readonly step: string; readonly percentage: number } | null;
  /** Why reading failed. */
  readonly error: string | null;
  readonly folder: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
}

export interface ShownDocumentList {
  /** The newest first. */
  readonly documents: readonly ShownDocument[];
  /** Number of all matching documents; null: not known yet. */
  readonly total: number | null;
  readonly isLoading: boolean;
  /** Whether changes are shown as they happen. false: there is no connection, or not yet. */
  readonly isLive: boolean;
  readonly error: unknown;
}

const PAGE_SIZE = 50;
const FIELDS = ['filename', 'metadata', 'folder_name', 'status', 'progress', 'error'];
/** Pause between two readings of the list while many documents change. */
const PAUSE_MS = 250;

/** A list of documents that follows what happens to them. */
export class DocumentListStore extends Store<ShownDocumentList> {
  private following: AbortController | null = null;
  private reading: Promise<void> | null = null;
  private isStale = false;
  private shownPages = 1;

  constructor(
    private client: LecternClient,
    private options: DocumentListOptions = {},
  ) {
    super({ documents: [], total: null, isLoading: true, isLive: false, error: null });
  }

  /** Lists other documents, if the options differ. */
  configure(client: LecternClient, options: DocumentListOptions): void {
    const isSame = client === this.client && JSON.stringify(options) === JSON.stringify(this.options);
    this.client = client;
    this.options = options;
    if (isSame || this.following === null) return;
    this.shownPages = 1;
    this.close();
    this.open();
  }

  /** Reads the list and follows it until `close`. */
  readonly open = (): void => {
    const following = new AbortController();
    this.following = following;
    void this.follow(following.signal);
    void this.reload();
  };

  readonly close = (): void => {
    this.following?.abort();
    this.following = null;
  };

  readonly reload = (): Promise<void> => {
    this.isStale = true;
    this.reading ??= this.read().finally(() => {
      this.reading = null;
    });
    return this.reading;
  };

  /** Lists another page. */
  readonly more = (): Promise<void> => {
    this.shownPages += 1;
    return this.reload();
  };

  /** Deletes a document. A failure is shown as `error`. */
  readonly remove = async (id: string): Promise<void> => {
    try {
      await this.client.delete(id);
    } catch (error) {
      if (!(error instanceof LecternError && error.status === 404)) {
        this.update({ error });
        return;
      }
    }
    this.drop(id);
  };

  private async follow(signal: AbortSignal): Promise<void> {
    const { folder_name, folder_depth } = this.options;
    const selection = {
      ...(folder_name === undefined ? {} : { folder_name }),
      ...(folder_depth === undefined ? {} : { folder_depth }),
    };
    const onInterruption = (error: unknown): void => {
      if (!signal.aborted) this.update({ isLive: false, error });
    };
    try {
      for await (const event of this.client.events({ ...selection, signal, onInterruption })) {
        this.receive(event);
      }
    } catch (error) {
      onInterruption(error);
    }
  }

  private receive(event: StreamEvent): void {
    switch (event.type) {
      case 'document.progress': {
        const { document_id: id, progress } = event.data;
        const documents = this.state.documents.map((one) => (one.id === id ? { ...one, progress } : one));
        this.updateOften({ documents });
        break;
      }
      case 'document.deleted':
        this.drop(event.data.document_id);
        break;
      case 'stream.ready':
      case 'stream.reset':
        this.update({ isLive: true });
        void this.reload();
        break;
      default:
        void this.reload();
    }
  }

  private drop(id: string): void {
    const { documents, total } = this.state;
    const kept = documents.filter((one) => one.id !== id);
    if (kept.length === documents.length) return;
    this.update({ documents: kept, total: total === null ? null : total - 1 });
  }

  private async read(): Promise<void> {
    while (this.isStale && this.following !== null) {
      this.isStale = false;
      const { signal } = this.following;
      const { pageSize = PAGE_SIZE, ...selection } = this.options;
      try {
        const { documents, total_count: total } = await this.client.listing({
          ...selection,
          limit: pageSize * this.shownPages,
          sort_by: 'created_at',
          sort_direction: 'desc',
          include_total_count: true,
          fields: FIELDS,
          signal,
        });
        if (signal.aborted) this.isStale = true;
        else this.update({ documents: documents.map(shown), total, isLoading: false, error: null });
        await pause(PAUSE_MS);
      } catch (error) {
        if (signal.aborted) this.isStale = true;
        else this.update({ isLoading: false, error });
      }
    }
  }
}

interface SystemMetadata {
  readonly status?: ShownDocument['status'];
  readonly error?: string;
  readonly progress?: { readonly step_name?: string; readonly percentage?: number };
}

function shown({
  external_id: id,
  filename = null,
  folder_name: folder = null,
  metadata = {},
  ...document
}: ListedDocument): ShownDocument {
  const {
    status = 'processing',
    error = null,
    progress,
  } = (document.system_metadata ?? {}) as SystemMetadata;
  const { step_name: step = '', percentage = 0 } = progress ?? {};
  return {
    id,
    filename,
    folder,
    metadata,
    status,
    error,
    progress: progress === undefined ? null : { step, percentage },
  };
}
