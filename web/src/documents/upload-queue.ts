import { IngestionError, LecternError, type LecternClient } from '../api/lectern.js';
import { sentencesOf } from '../design/notices.js';

export interface UploadOptions {
  readonly folder: string;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly pages: boolean;
}

/** A file being uploaded and processed. */
export interface Upload {
  readonly key: number;
  readonly name: string;
  readonly state: 'waiting' | 'sending' | 'processing' | 'completed' | 'failed';
  /** Description of the current step. */
  readonly step: string;
  /** 0 to 100. */
  readonly percentage: number;
  readonly documentId: string | null;
  readonly problem: string | null;
}

/** Descriptions of the service's processing steps. */
const STEPS: Readonly<Record<string, string>> = {
  queued: 'Waiting',
  parsing: 'Reading and splitting',
  embedding: 'Embedding',
  storing: 'Storing',
};

/** Number of files processed concurrently. */
const CONCURRENT_UPLOADS = 3;
/** Status requests wait on the server, so that short jobs are seen to finish at once. */
const WAIT_SECONDS = 1;

/** Uploads files and follows each until it is searchable; continues while other views are shown. */
export class UploadQueue {
  uploads: readonly Upload[] = [];
  private readonly waiting: (() => Promise<void>)[] = [];
  private readonly listeners = new Set<() => void>();
  private running = 0;
  private lastKey = 0;

  /**
   * @param ended aborts all uploads
   * @param onRefused called when the service rejects the key
   */
  constructor(
    private readonly client: LecternClient,
    private readonly ended: AbortSignal,
    private readonly onRefused: () => void,
  ) {}

  /** @returns the function to unsubscribe */
  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }

  add(files: readonly File[], options: UploadOptions): void {
    for (const file of files) {
      const key = (this.lastKey += 1);
      const upload: Upload = {
        key,
        name: file.name,
        state: 'waiting',
        step: 'Waiting',
        percentage: 0,
        documentId: null,
        problem: null,
      };
      this.set([...this.uploads, upload]);
      this.waiting.push(() => this.follow(key, file, options));
    }
    this.next();
  }

  /** Removes finished uploads from the list. */
  clear(): void {
    this.set(this.uploads.filter(({ state }) => state !== 'completed' && state !== 'failed'));
  }

  private next(): void {
    while (this.running < CONCURRENT_UPLOADS && !this.ended.aborted) {
      const work = this.waiting.shift();
      if (work === undefined) return;
      this.running += 1;
      void work().finally(() => {
        this.running -= 1;
        this.next();
      });
    }
  }

  private async follow(key: number, file: File, options: UploadOptions): Promise<void> {
    this.change(key, { state: 'sending', step: 'Sending' });
    try {
      const id = await this.send(key, file, options);
      this.change(key, { documentId: id, state: 'processing', step: 'Waiting', percentage: 0 });
      await this.settled(key, id);
      this.change(key, { state: 'completed', step: 'Ready for search', percentage: 100 });
    } catch (error) {
      if (this.ended.aborted) return;
      const problem = error instanceof IngestionError ? error.detail : sentencesOf(error).join(' ');
      this.change(key, { state: 'failed', step: 'Failed', problem });
      if (error instanceof LecternError && error.status === 401) this.onRefused();
    }
  }

  private async send(key: number, file: File, { folder, metadata, pages }: UploadOptions): Promise<string> {
    const { external_id: id } = await this.client.ingestFile(file, {
      ...(folder === '' ? {} : { folder_name: folder }),
      ...(metadata === null ? {} : { metadata }),
      ...(pages ? { use_colpali: true } : {}),
      signal: this.ended,
      onProgress: ({ sent, total }) => {
        this.change(key, { percentage: total === 0 ? 100 : Math.round((100 * sent) / total) });
      },
    });
    return id;
  }

  private async settled(key: number, id: string): Promise<void> {
    await this.client.wait(id, {
      seconds: WAIT_SECONDS,
      signal: this.ended,
      onStatus: ({ progress }) => {
        const { step_name: step = '', percentage = 0 } = (progress ?? {}) as {
          readonly step_name?: string;
          readonly percentage?: number;
        };
        this.change(key, { step: STEPS[step] ?? 'Processing', percentage });
      },
    });
  }

  /** Leaving the page loses files that are not sent yet. */
  private readonly askFirst = (event: BeforeUnloadEvent): void => {
    if (!this.ended.aborted) event.preventDefault();
  };

  private change(key: number, part: Partial<Upload>): void {
    this.set(this.uploads.map((one) => (one.key === key ? { ...one, ...part } : one)));
  }

  private set(uploads: readonly Upload[]): void {
    this.uploads = uploads;
    const isSending = uploads.some(({ state }) => state === 'waiting' || state === 'sending');
    (isSending ? addEventListener : removeEventListener)('beforeunload', this.askFirst);
    for (const listener of this.listeners) listener();
  }
}
