import { setTimeout as pause } from 'node:timers/promises';
import pLimit from 'p-limit';
import { reasonOf } from '../service.js';
import type { KnownDocument, KnownDocuments, Step } from './known-documents.js';
import { sha256, type SourceFile } from './source-files.js';

/** Actual or planned outcome of a file. */
export type Outcome = 'new' | 'updated' | 'unchanged' | 'failed';

export interface FileResult {
  readonly file: SourceFile;
  readonly outcome: Outcome;
  readonly reason?: string;
}

export interface IngestionObserver {
  begun(file: SourceFile): void;
  /** The service has reached a processing step. */
  moved(file: SourceFile, step: Step): void;
  ended(result: FileResult): void;
}

/** A document that the service is processing. */
interface Awaited {
  readonly moved: (step: Step) => void;
  readonly settled: (document: KnownDocument | null) => void;
}

/** A file and its state in the service. */
export interface Plan {
  readonly file: SourceFile;
  readonly hash: string;
  readonly known: KnownDocument | null;
  /** The reason why the file cannot be read; absent if it can be read. */
  readonly unreadable?: string;
}

/** Action for a file; `retry`: the last attempt with the same content failed. */
export type Action = 'ingest' | 'update' | 'retry' | 'none' | 'unreadable';

/** Interval of the request that polls all documents in progress. */
const POLL_MS = 500;

const CONCURRENT_HASHES = 4;

/** Brings the documents of a service up to date with files. */
export class FolderIngestion {
  /** Documents being processed, by id. */
  private readonly waiting = new Map<string, Awaited>();

  constructor(private readonly documents: KnownDocuments) {}

  /** Compares files with the state of the service. */
  async plan(files: readonly SourceFile[]): Promise<Plan[]> {
    const known = await this.documents.bySourcePath(files.map(({ sourcePath }) => sourcePath));
    const limit = pLimit(CONCURRENT_HASHES);
    return Promise.all(
      files.map((file) =>
        limit(async (): Promise<Plan> => {
          const plan = { file, known: known.get(file.sourcePath) ?? null };
          try {
            return { ...plan, hash: await sha256(file.path) };
          } catch (error) {
            const { code = '' } = error as NodeJS.ErrnoException;
            return { ...plan, hash: '', unreadable: `it cannot be read (${code})` };
          }
        }),
      ),
    );
  }

  /**
   * Sends new and changed files, several at once, and waits until the service has processed all of them. A failed file
   * does not stop the other files.
   */
  async run(plans: readonly Plan[], concurrency: number, observer: IngestionObserver): Promise<FileResult[]> {
    const limit = pLimit(concurrency);
    const done = new AbortController();
    const looking = this.look(done.signal);
    const work = Promise.all(
      plans.map((plan) =>
        limit(async () => {
          observer.begun(plan.file);
          const moved = (step: Step): void => {
            observer.moved(plan.file, step);
          };
          const result = await this.bring(plan, moved).catch((error: unknown): FileResult => ({
            file: plan.file,
            outcome: 'failed',
            reason: reasonOf(error),
          }));
          observer.ended(result);
          return result;
        }),
      ),
    ).finally(() => {
      done.abort();
    });
    const [results] = await Promise.all([work, looking]);
    return results;
  }

  /** Documents of the source whose files no longer exist, ordered by path. */
  async gone(source: string, files: readonly SourceFile[]): Promise<KnownDocument[]> {
    const existing = new Set(files.map(({ sourcePath }) => sourcePath));
    const all = await this.documents.ofSource(source);
    return all
      .filter(({ sourcePath }) => !existing.has(sourcePath))
      .sort((a, b) => (a.sourcePath < b.sourcePath ? -1 : 1));
  }

  /** Deletes documents, several at once. */
  async remove(documents: readonly KnownDocument[], concurrency: number): Promise<void> {
    const limit = pLimit(concurrency);
    await Promise.all(documents.map(({ id }) => limit(() => this.documents.remove(id))));
  }

  private async bring({ file, hash, known, unreadable }: Plan, moved: Awaited['moved']): Promise<FileResult> {
    if (unreadable !== undefined) return failed(file, unreadable);
    const settled = known?.busy === true ? await this.settled(known.id, moved) : known;
    const action = actionFor({ file, hash, known: settled });
    if (action === 'none') return { file, outcome: 'unchanged' };
    const id = await this.send(file, hash, settled, action);
    const document = await this.settled(id, moved);
    if (document === null) return failed(file, 'it was deleted meanwhile');
    if (document.error !== null) return failed(file, document.error);
    if (document.sourceHash !== hash) return failed(file, 'it was updated by another client meanwhile');
    return { file, outcome: action === 'update' ? 'updated' : 'new' };
  }

  private async send(
    file: SourceFile,
    hash: string,
    known: KnownDocument | null,
    action: Action,
  ): Promise<string> {
    if (known !== null && action === 'update') {
      await this.documents.update(known.id, { ...file, hash });
      return known.id;
    }
    if (known !== null) await this.documents.remove(known.id);
    return this.documents.ingest({ ...file, hash });
  }

  /** Waits until a document is processed; null if the document is deleted. */
  private settled(id: string, moved: Awaited['moved']): Promise<KnownDocument | null> {
    return new Promise((settled) => {
      this.waiting.set(id, { moved, settled });
    });
  }

  /** Polls all waiting documents in one request until aborted. */
  private async look(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await pause(POLL_MS, undefined, { signal }).catch(() => undefined);
      const ids = [...this.waiting.keys()];
      if (ids.length === 0) continue;
      const documents = await this.documents.byId(ids);
      for (const id of ids) {
        const document = documents.get(id) ?? null;
        const awaited = this.waiting.get(id);
        if (document?.busy === true) {
          if (document.step !== null) awaited?.moved(document.step);
          continue;
        }
        this.waiting.delete(id);
        awaited?.settled(document);
      }
    }
  }
}

/**
 * Chooses the action for a file from its state in the service. If the document is in progress, the action may change,
 * so call this function again when the document is done.
 */
export function actionFor({ known, hash, unreadable }: Plan): Action {
  if (unreadable !== undefined) return 'unreadable';
  if (known === null) return 'ingest';
  if (known.sourceHash !== hash) return 'update';
  return known.status === 'failed' ? 'retry' : 'none';
}

function failed(file: SourceFile, reason: string): FileResult {
  return { file, outcome: 'failed', reason };
}
