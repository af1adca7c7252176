import type { LecternClient } from '../client.js';
import { IngestionError, LecternError } from '../errors.js';
import { randomKey } from '../random-key.js';
import { pause } from '../retry.js';
import type { IngestFileOptions } from '../types.js';
import { Store } from './store.js';

/** What a file is added with: folder, metadata and others. */
export type UploadOptions = Omit<IngestFileOptions, 'signal' | 'onProgress' | 'filename' | 'idempotencyKey'>;

export interface ShownUpload {
  /** Names the upload. */
  readonly key: number;
  readonly name: string;
  readonly size: number;
  /** `processing`: the service has the file and reads it; `completed`: searches find it. */
  readonly state: 'waiting' | 'sending' | 'processing' | 'completed' | 'failed' | 'cancelled';
  /** Of the bytes while the file is sent, of the work while the service reads it. */
  readonly percentage: number;
  /** Set when the service has the file. */
  readonly documentId: string | null;
  readonly error: unknown;
}

export interface ShownUploads {
  readonly uploads: readonly ShownUpload[];
}

interface Work {
  readonly file: File;
  readonly options: UploadOptions;
  /** Of all attempts, so that a file whose response was lost is stored once. */
  idempotencyKey: string;
  stopping: AbortController;
}

const SENT_AT_ONCE = 3;
/** Seconds for which the service holds a request for the status, until it changes. */
const STATUS_SECONDS = 2;
/** Pause before the status is asked again while the service cannot be reached. */
const PAUSE_MS = 2_000;

/** Sends files, a few at a time, and follows their documents until searches find them. */
export class UploadStore extends Store<ShownUploads> {
  private readonly work = new Map<number, Work>();
  private keys = 0;
  private sending = 0;

  constructor(private client: LecternClient) {
    super({ uploads: [] });
  }

  configure(client: LecternClient): void {
    this.client = client;
  }

  readonly add = (files: Iterable<File>, options: UploadOptions = {}): void => {
    const added = [...files].map((file): ShownUpload => {
      this.keys += 1;
      this.work.set(this.keys, {
        file,
        options,
        idempotencyKey: randomKey(),
        stopping: new AbortController(),
      });
      const { name, size } = file;
      return { ...WAITING, key: this.keys, name, size, documentId: null };
    });
    this.update({ uploads: [...this.state.uploads, ...added] });
    this.next();
  };

  /** Stops an upload. A document that the service is already reading is deleted. */
  readonly cancel = async (key: number): Promise<void> => {
    const upload = this.find(key);
    if (upload === undefined || isEnded(upload)) return;
    this.change(key, { state: 'cancelled' });
    const work = this.work.get(key);
    work?.stopping.abort();
    if (upload.documentId === null) return;
    if (work !== undefined) work.idempotencyKey = randomKey(); // the document of the old one is deleted
    try {
      await this.client.delete(upload.documentId);
    } catch (error) {
      this.change(key, { state: 'failed', error });
    }
  };

  /** Sends a failed or cancelled file again. If the service has the file, the service reads it again. */
  readonly retry = (key: number): void => {
    const work = this.work.get(key);
    const upload = this.find(key);
    if (work === undefined || upload === undefined || !isEnded(upload)) return;
    work.stopping = new AbortController();
    const documentId = upload.state === 'failed' ? upload.documentId : null;
    this.change(key, { ...WAITING, documentId });
    this.next();
  };

  /** Takes completed, failed and cancelled uploads off the list. */
  readonly clear = (): void => {
    for (const upload of this.state.uploads) if (isEnded(upload)) this.work.delete(upload.key);
    this.update({ uploads: this.state.uploads.filter((one) => !isEnded(one)) });
  };

  /** Stops sending and following. The service reads what it has. */
  readonly close = (): void => {
    for (const { stopping } of this.work.values()) stopping.abort();
  };

  private next(): void {
    while (this.sending < SENT_AT_ONCE) {
      const upload = this.state.uploads.find(({ state }) => state === 'waiting');
      const work = upload && this.work.get(upload.key);
      if (upload === undefined || work === undefined) return;
      this.sending += 1;
      this.change(upload.key, { state: 'sending' });
      void this.send(upload, work);
    }
  }

  private async send({ key, documentId: known }: ShownUpload, work: Work): Promise<void> {
    const { file, options, idempotencyKey } = work;
    const { signal } = work.stopping;
    const show = (change: Partial<ShownUpload>): void => {
      if (!signal.aborted) this.change(key, change);
    };
    try {
      let documentId = known;
      try {
        if (documentId === null) {
          const onProgress = ({ sent, total }: { readonly sent: number; readonly total: number }): void => {
            if (!signal.aborted) this.changeOften(key, { percentage: shareOf(sent, total) });
          };
          const sent = { ...options, filename: file.name, idempotencyKey, signal, onProgress };
          documentId = (await this.client.ingestFile(file, sent)).external_id;
        } else {
          await this.client.requeue([documentId], { signal });
        }
      } finally {
        this.sending -= 1;
        this.next();
      }
      show({ state: 'processing', percentage: 0, documentId });
      await this.follow(documentId, signal, (percentage) => {
        show({ percentage });
      });
      show({ state: 'completed', percentage: 100 });
    } catch (error) {
      // The document of an earlier attempt was deleted meanwhile.
      if (isGone(error)) work.idempotencyKey = randomKey();
      show({ state: 'failed', error, ...(isGone(error) && { documentId: null }) });
    }
  }

  /** Waits until searches find a document, also over interruptions. @throws IngestionError, LecternError */
  private async follow(
    id: string,
    signal: AbortSignal,
    onPercentage: (share: number) => void,
  ): Promise<void> {
    for (;;) {
      try {
        await this.client.wait(id, {
          signal,
          seconds: STATUS_SECONDS,
          onStatus: ({ progress }) => {
            const percentage = progress?.['percentage'];
            if (typeof percentage === 'number') onPercentage(percentage);
          },
        });
        return;
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof IngestionError || !isPassing(error)) throw error;
        await pause(PAUSE_MS, signal);
      }
    }
  }

  private find(key: number): ShownUpload | undefined {
    return this.state.uploads.find((one) => one.key === key);
  }

  private change(key: number, change: Partial<ShownUpload>): void {
    this.update({ uploads: this.changed(key, change) });
  }

  private changeOften(key: number, change: Partial<ShownUpload>): void {
    this.updateOften({ uploads: this.changed(key, change) });
  }

  private changed(key: number, change: Partial<ShownUpload>): ShownUpload[] {
    return this.state.uploads.map((one) => (one.key === key ? { ...one, ...change } : one));
  }
}

const WAITING = { state: 'waiting', percentage: 0, error: null } as const;

function isEnded({ state }: ShownUpload): boolean {
  return state === 'completed' || state === 'failed' || state === 'cancelled';
}

function isPassing(error: unknown): boolean {
  return error instanceof LecternError && (error.status === 0 || error.status === 429 || error.status >= 500);
}

function isGone(error: unknown): boolean {
  return error instanceof LecternError && error.status === 404;
}

function shareOf(sent: number, total: number): number {
  return total === 0 ? 100 : Math.round((100 * sent) / total);
}
