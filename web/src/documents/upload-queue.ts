import { LecternError, type LecternClient, type ListedDocument } from '../api/lectern.js';
import { sentencesOf } from '../design/notices.js';
import { stateOf, textOf } from './record.js';
import { arrivedOf } from './twins.js';
import { isEnded, type Upload, type UploadOptions, type UploadStep, type UploadedFile } from './upload.js';

/** The service's processing steps. */
const STEPS: Readonly<Record<string, UploadStep>> = {
  queued: 'waiting',
  parsing: 'parsing',
  embedding: 'embedding',
  storing: 'storing',
};

/** Files sent at once. Browsers open six connections to a host, so two stay free for the page. */
const SENT_AT_ONCE = 4;
/** Interval between requests for the status of the documents in progress. */
const LOOK_MS = 1_000;
/** Maximum number of documents per status request. */
const LOOKED_AT = 200;
/** Pause in seconds after a 429 or 503 without `Retry-After`. */
const PAUSE_S = 5;
/** Interval between health checks while the service cannot be reached. */
const REACH_MS = 2_000;
/**
 * Number of searches for the document of an interrupted request. The service may store the document a moment later, so
 * one search is not enough.
 */
const CHECKS = 3;
/** How often a file is sent again after a lost connection. Limited, because the file itself may be the cause. */
const MOST_BREAKS = 3;

/**
 * Sends files, several at once, and follows their documents until they are searchable. The service processes documents
 * whether or not the page is open: after a reload the queue follows the documents that the service has accepted, and
 * lists the files that were not sent.
 */
export class UploadQueue {
  uploads: readonly Upload[];
  /** End of a pause that the service asked for, in milliseconds since 1970; null: no pause. */
  pausedUntil: number | null = null;
  /** Whether the service cannot be reached. Sending continues as soon as it can be reached. */
  isOffline = false;
  private readonly breaks = new Map<number, number>();
  private readonly waiting: (() => Promise<void>)[] = [];
  private readonly listeners = new Set<() => void>();
  private sending = 0;
  private isFollowing = false;

  /**
   * @param client without retries
   * @param ended aborts all uploads
   * @param onRefused called when the service rejects the key
   * @param before uploads of the page before it was reloaded
   */
  constructor(
    private readonly client: LecternClient,
    private readonly ended: AbortSignal,
    private readonly onRefused: () => void,
    before: readonly Upload[],
  ) {
    this.uploads = before.map(afterReload);
    this.follow();
    void this.check();
  }

  /** @returns the function to unsubscribe */
  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }

  add(files: readonly UploadedFile[], options: UploadOptions): void {
    const again = new Set(files.map(({ file, folder }) => `${folder}/${file.name}`));
    const others = this.uploads.filter(
      ({ state, name, folder }) => state !== 'unsent' || !again.has(`${folder}/${name}`),
    );
    const next = 1 + Math.max(0, ...others.map(({ key }) => key));
    const added = files.map((one, index): Upload => {
      const { file, folder, replaces, isTwin } = one;
      const key = next + index;
      this.waiting.push(() => this.send(key, one, options));
      return {
        key,
        name: file.name,
        size: file.size,
        folder,
        state: 'waiting',
        step: 'waiting',
        percentage: 0,
        documentId: null,
        problem: null,
        startedAt: Date.now(),
        isNew: replaces === null && isTwin !== true,
      };
    });
    this.set([...others, ...added]);
    this.next();
  }

  /** Removes finished uploads, and files that were not sent, from the list. */
  clear(): void {
    this.set(this.uploads.filter((one) => !isEnded(one)));
  }

  /** Removes uploads whose documents were deleted. */
  async dropDeleted(): Promise<void> {
    const asked = this.uploads.filter((one) => isEnded(one) && one.documentId !== null);
    for (let start = 0; start < asked.length; start += LOOKED_AT) {
      const part = asked.slice(start, start + LOOKED_AT);
      const found = await this.documentsOf(part, ['filename']).catch(() => null);
      if (found === null) return; // the service cannot be reached or is busy
      const gone = new Set(part.filter((one) => !found.has(one.documentId ?? '')).map(({ key }) => key));
      if (gone.size > 0) this.set(this.uploads.filter(({ key }) => !gone.has(key)));
    }
  }

  private next(): void {
    while (this.sending < SENT_AT_ONCE && this.canSend()) {
      const work = this.waiting.shift();
      if (work === undefined) return;
      this.sending += 1;
      void work().finally(() => {
        this.sending -= 1;
        this.next();
      });
    }
  }

  private canSend(): boolean {
    return this.pausedUntil === null && !this.isOffline && !this.ended.aborted;
  }

  private async send(key: number, upload: UploadedFile, options: UploadOptions): Promise<void> {
    this.change(key, { state: 'sending', step: 'sending', percentage: 0 });
    try {
      const documentId = (await this.arrivedBefore(key)) ?? (await this.request(key, upload, options));
      this.change(key, { documentId, state: 'processing', step: 'waiting', percentage: 0 });
      this.follow();
    } catch (error) {
      if (this.ended.aborted) return;
      if (error instanceof LecternError && (error.status === 429 || error.status === 503)) {
        this.change(key, { state: 'waiting', step: 'waiting' });
        this.waiting.unshift(() => this.send(key, upload, options));
        this.pause(error.retryAfter ?? PAUSE_S);
        return;
      }
      if (error instanceof LecternError && error.status === 0 && this.mayBreakAgain(key)) {
        this.change(key, { state: 'waiting', step: 'waiting' });
        this.waiting.unshift(() => this.send(key, upload, options));
        await this.reach();
        return;
      }
      const problem = { text: sentencesOf(error).join(' ') };
      this.change(key, { state: 'failed', step: 'failed', problem });
      if (error instanceof LecternError && error.status === 401) this.onRefused();
    }
  }

  private mayBreakAgain(key: number): boolean {
    const breaks = (this.breaks.get(key) ?? 0) + 1;
    this.breaks.set(key, breaks);
    return breaks <= MOST_BREAKS;
  }

  /** Waits until the service can be reached. */
  private async reach(): Promise<void> {
    if (this.isOffline) return;
    this.isOffline = true;
    this.tell();
    while (!this.ended.aborted) {
      const isThere = await this.client.health({ signal: this.ended }).then(
        () => true,
        (error: unknown) => error instanceof LecternError && error.status !== 0,
      );
      if (isThere) break;
      await new Promise((resolve) => setTimeout(resolve, REACH_MS));
    }
    this.isOffline = false;
    this.tell();
  }

  /**
   * Returns the document of a file if the request reached the service although the response was lost. null: the file
   * must be sent.
   */
  private async arrivedBefore(key: number): Promise<string | null> {
    const upload = this.uploads.find((one) => one.key === key);
    if (!this.breaks.has(key) || upload === undefined) return null;
    return (await arrivedOf(this.client, [upload], this.uploads, this.ended)).get(key) ?? null;
  }

  /** Finds out which requests reached the service before a reload interrupted them. */
  private async check(): Promise<void> {
    for (let looks = 0; looks < CHECKS && !this.isOver();) {
      const open = this.uploads.filter(({ state }) => state === 'checking');
      if (open.length === 0) return;
      const found = await arrivedOf(this.client, open, this.uploads, this.ended).catch(() => null);
      if (found !== null) looks += 1; // null means that the service cannot be reached, so this search does not count
      for (const [key, documentId] of found ?? [])
        this.change(key, { state: 'processing', step: 'waiting', documentId });
      this.follow();
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
    for (const { key, state } of this.uploads) {
      if (state === 'checking') this.change(key, { state: 'unsent', step: 'interrupted' });
    }
  }

  private async request(
    key: number,
    { file, folder, replaces }: UploadedFile,
    { metadata, pages }: UploadOptions,
  ): Promise<string> {
    const options = {
      ...(metadata === null ? {} : { metadata }),
      ...(pages ? { use_colpali: true } : {}),
      signal: this.ended,
      onProgress: ({ sent, total }: { readonly sent: number; readonly total: number }) => {
        this.change(key, { percentage: total === 0 ? 100 : Math.round((100 * sent) / total) });
      },
    };
    const { external_id: id } =
      replaces === null
        ? await this.client.ingestFile(file, {
            ...options,
            ...(folder === '' ? {} : { folder_name: folder }),
          })
        : await this.client.updateFile(replaces, file, { ...options, update_strategy: 'replace' });
    return id;
  }

  /** Sends nothing for a while, as the service asked. */
  private pause(seconds: number): void {
    if (this.pausedUntil !== null) return;
    this.pausedUntil = Date.now() + 1_000 * seconds;
    this.tell();
    setTimeout(() => {
      this.pausedUntil = null;
      this.tell();
      this.next();
    }, 1_000 * seconds);
  }

  /** Follows all accepted documents until none is processing. */
  private follow(): void {
    if (this.isFollowing) return;
    this.isFollowing = true;
    void this.look();
  }

  private async look(): Promise<void> {
    for (;;) {
      const open = this.uploads.filter(({ state }) => state === 'processing').slice(0, LOOKED_AT);
      this.isFollowing = open.length > 0 && !this.isOver();
      if (!this.isFollowing) return;
      try {
        const found = await this.documentsOf(open, ['system_metadata']);
        for (const { key, documentId } of open) this.change(key, progressOf(found.get(documentId ?? '')));
      } catch (error) {
        if (error instanceof LecternError && error.status === 401) this.onRefused();
        // The service cannot be reached or is busy. The service has the documents, so the queue asks again.
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }

  private async documentsOf(
    uploads: readonly Upload[],
    fields: string[],
  ): Promise<ReadonlyMap<string, ListedDocument>> {
    const { documents } = await this.client.listing({
      document_filters: { external_id: { $in: uploads.flatMap(({ documentId }) => documentId ?? []) } },
      fields,
      limit: LOOKED_AT,
      signal: this.ended,
    });
    return new Map(documents.map((one) => [one.external_id, one]));
  }

  private isOver(): boolean {
    return this.ended.aborted;
  }

  /** Makes the browser ask before the page is left, because files that are not sent yet would be lost. */
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
    this.tell();
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}

/**
 * Restores an upload after a reload. The service may have received a file that was being sent, so such a file must be
 * checked.
 */
function afterReload(upload: Upload): Upload {
  if (upload.state === 'sending') return { ...upload, state: 'checking', step: 'checking', percentage: 0 };
  if (upload.state === 'waiting') return { ...upload, state: 'unsent', step: 'unsent', percentage: 0 };
  return upload;
}

function progressOf(document: ListedDocument | undefined): Partial<Upload> {
  if (document === undefined) return { state: 'failed', step: 'failed', problem: 'deleted' };
  const { system_metadata: system } = document;
  const state = stateOf(document);
  const error = textOf(system?.['error']);
  if (state === 'failed' || (state === 'completed' && error !== '')) {
    return { state: 'failed', step: 'failed', problem: { text: error } };
  }
  if (state === 'completed') return { state, step: 'completed', percentage: 100 };
  const { step_name: step = '', percentage = 0 } = (system?.['progress'] ?? {}) as {
    readonly step_name?: string;
    readonly percentage?: number;
  };
  return { step: STEPS[step] ?? 'processing', percentage };
}
