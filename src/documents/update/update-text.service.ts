import { setTimeout } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import pLimit, { type LimitFunction } from 'p-limit';
import type { EntityManager } from 'typeorm';
import { type Scope, shardOf } from '../../auth/scope.js';
import type { DocumentRow, VersionChange } from '../../corpus/document-row.js';
import { Conflict } from '../../errors/index.js';
import { overlaid } from '../../metadata/typed-metadata.js';
import { IngestionService, TextChanged, type Commit } from '../../ingestion/ingestion.service.js';
import type { UpdateStrategy } from '../../ingestion/job.js';
import { JobQueue } from '../../ingestion/job-queue.js';
import type { Rule } from '../../ingestion/rules/rule.js';
import {
  historyEntry,
  type NewContent,
  type StagedVersion,
  textValues,
  withChunkKeys,
} from '../../ingestion/version.js';
import { throwIfAborted } from '../../request/request-context.js';
import { recordOf, typedMetadataOf } from '../document-record.js';
import type { DocumentDto } from '../document.dto.js';
import { documentNotFound, DocumentService } from '../document.service.js';
import { sumOfText } from '../ingest/duplicates.js';
import { textTypeOf } from '../files/document-file.js';
import { IdempotencyRepository, type IdempotentRequest } from './idempotency.repository.js';
import { Quotas } from '../../quotas/quotas.service.js';

export interface TextUpdate {
  readonly strategy: UpdateStrategy;
  /** The text, which is not blank. */
  readonly content: string;
  /** null keeps the current name. */
  readonly filename: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly metadataTypes: Readonly<Record<string, unknown>> | null;
  /** null keeps the document's setting. */
  readonly useColpali: boolean | null;
  readonly rules: readonly Rule[];
}

/** Maximum time for which an update waits for earlier jobs of the document, and the poll interval of the wait. */
const MAX_WAIT_MS = 60_000;
const LOOK_EVERY_MS = 100;

/** Position of an update among the jobs of its document. */
interface Turn {
  /** Revision of the last earlier job; null if there is no earlier job. */
  readonly after: string | null;
  /** Deadline for the earlier jobs, in milliseconds of `performance.now()`. */
  readonly deadline: number;
}

type Alongside = (manager: EntityManager, row: DocumentRow) => Promise<void>;

/**
 * Thrown if a concurrent request with the same Idempotency-Key committed first. The transaction is then rolled back.
 */
class AnsweredMeanwhile extends Conflict {}

/**
 * Updates texts synchronously, in the same steps as a job: draft, stage, commit. An update with the strategy `add`
 * splits and embeds only the tail of the text. A client may repeat an update with an Idempotency-Key, because the
 * transaction of the update stores the response.
 */
@Injectable()
export class UpdateTextService {
  /**
   * One queue for each document. The updates of a document in this process run one after another. Concurrent updates
   * would do work that has to be discarded.
   */
  private readonly turns = new Map<string, LimitFunction>();

  constructor(
    private readonly documents: DocumentService,
    private readonly ingestion: IngestionService,
    private readonly keys: IdempotencyRepository,
    private readonly jobs: JobQueue,
    private readonly quotas: Quotas,
  ) {}

  /**
   * @param key value of Idempotency-Key; undefined if the request has none
   * @throws NotFound for a document that does not exist or is not visible to the key; Forbidden for a document that the
   * key may not change; Conflict while the first version is being processed, when earlier jobs take too long, and when
   * the key was used with another request; Invalid for metadata that does not match its type; ProviderFailed when the
   * embedding model or a rule fails. A failure leaves the old version unchanged.
   */
  async update(
    scope: Scope,
    documentId: string,
    update: TextUpdate,
    key: string | undefined,
  ): Promise<DocumentDto> {
    if (key === undefined) return recordOf(scope, await this.updateText(scope, documentId, update));
    const request: IdempotentRequest = {
      key: keyOfPerson(scope, key),
      content: ['update_text', documentId, update],
    };
    const answered = await this.answer(scope, request);
    if (answered !== undefined) {
      if (await this.documents.isHidden(scope, documentId)) throw documentNotFound();
      return answered;
    }
    try {
      const row = await this.updateText(scope, documentId, update, async (manager, updated) => {
        if (!(await this.keys.keep(manager, scope, request, recordOf(scope, updated)))) {
          throw new AnsweredMeanwhile('This Idempotency-Key was used by another request at the same time');
        }
      });
      return recordOf(scope, row);
    } catch (error) {
      const first = error instanceof AnsweredMeanwhile ? await this.answer(scope, request) : undefined;
      if (first === undefined) throw error;
      return first;
    }
  }

  private async answer(scope: Scope, request: IdempotentRequest): Promise<DocumentDto | undefined> {
    return (await this.keys.find(scope, request)) as DocumentDto | undefined;
  }

  /** Like {@link update}, without a key; returns the row. */
  async updateText(
    tenant: Scope,
    documentId: string,
    update: TextUpdate,
    alongside?: Alongside,
  ): Promise<DocumentRow> {
    const scope = shardOf(tenant, documentId);
    const first = await this.updatable(scope, documentId, update);
    const { external_id: id } = first;
    const after = first.progress === null ? null : await this.jobs.lastPending(scope, id);
    const deadline = performance.now() + MAX_WAIT_MS;
    const content = await this.contentOf(scope, first, update);
    const key = `${scope.appId}/${id}`;
    const isNext = first.progress === null && !this.turns.has(key);
    return this.inTurn(key, async () => {
      // Uses `first` without reading the row again: the commit fails if another process has changed the document since
      // then.
      for (let known = isNext ? first : null; ; known = null) {
        const row = known ?? (await this.afterEarlierJobs(scope, id, update, { after, deadline }));
        const draft = await this.ingestion.draft(scope, row, named(content, update, row));
        const version = await this.ingestion.stage(draft);
        try {
          const change: Commit['change'] = (staged, current) => changeOf(scope, update, staged, current);
          const counted: Alongside = async (manager, current) => {
            await this.countBytes(manager, scope, current, update);
            await alongside?.(manager, current);
          };
          const commits = [{ version, by: { after }, change, alongside: counted }];
          const updated = (await this.ingestion.commit(scope, commits)).get(id);
          if (updated === undefined) throw documentNotFound();
          return updated;
        } catch (error) {
          // Starts again, because the document was changed concurrently or an earlier job was requeued.
          if (!(error instanceof TextChanged)) throw error;
        }
      }
    });
  }

  /**
   * Waits for the earlier jobs of the document, because their content is older, and returns the document.
   *
   * @throws Conflict at the deadline; the abort reason of the current signal.
   */
  private async afterEarlierJobs(
    scope: Scope,
    documentId: string,
    update: TextUpdate,
    { after, deadline }: Turn,
  ): Promise<DocumentRow> {
    for (;;) {
      const row = await this.updatable(scope, documentId, update);
      const waits = row.progress !== null && (await this.jobs.hasEarlier(scope, documentId, after));
      if (!waits) return row;
      if (performance.now() > deadline) throw stillProcessing();
      await setTimeout(LOOK_EVERY_MS);
      throwIfAborted();
    }
  }

  private async countBytes(
    manager: EntityManager,
    scope: Scope,
    { end_user_id: endUserId }: DocumentRow,
    { content }: TextUpdate,
  ): Promise<void> {
    await this.quotas.take(manager, { ...scope, endUserId }, 'bytes', Buffer.byteLength(content));
  }

  /** Rules are slow and need only the new content, so they run before the update enters the queue. */
  private async contentOf(scope: Scope, row: DocumentRow, update: TextUpdate): Promise<NewText> {
    const { strategy, content: text, rules, metadata } = update;
    await this.ingestion.requireRunnable(rules, ['body', 'rules']);
    const source = { kind: 'inline', text } as const;
    const content = { strategy, source, rules, explicitKeys: Object.keys(metadata), wantsPages: false };
    if (rules.length === 0) return content;
    return { ...content, ruled: (await this.ingestion.draft(scope, row, named(content, update, row))).ruled };
  }

  /** Returns the current document after checking that the update is valid for it. */
  private async updatable(scope: Scope, documentId: string, update: TextUpdate): Promise<DocumentRow> {
    const row = await this.documents.getToChange(scope, documentId);
    requireVersion(row);
    typedMetadataOf(row, update);
    return row;
  }

  private async inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
    const limit = this.turns.get(key) ?? pLimit(1);
    this.turns.set(key, limit);
    try {
      return await limit(work);
    } finally {
      if (limit.activeCount + limit.pendingCount === 0) this.turns.delete(key);
    }
  }
}

type NewText = Omit<NewContent, 'filename'>;

/** Returns the content with the file name that the document has after the update. */
function named(content: NewText, { filename }: TextUpdate, row: DocumentRow): NewContent {
  return { ...content, filename: filename ?? row.filename };
}

/** Returns the new values of the document's row. @throws Conflict while the first version is being processed; Invalid */
function changeOf(
  { endUserId }: Scope,
  update: TextUpdate,
  version: StagedVersion,
  current: DocumentRow,
): VersionChange<null> {
  requireVersion(current);
  const { draft } = version;
  // Explicit metadata overrides metadata extracted by rules.
  const given = { metadata: update.metadata, metadataTypes: update.metadataTypes ?? {} };
  const typed = typedMetadataOf(current, overlaid<unknown, unknown>(draft.extracted, given));
  const number = current.version + 1;
  return {
    ...textValues(version, current),
    version: number,
    entry: historyEntry({
      version: number,
      strategy: draft.strategy,
      filename: update.filename,
      metadata: typed.metadata,
      endUserId,
    }),
    filename: update.filename ?? current.filename,
    contentType:
      update.strategy === 'replace' ? textTypeOf(update.filename ?? current.filename) : current.content_type,
    ...typed,
    // Properties parsed from a file do not apply to a text that replaces it.
    additionalMetadata: withChunkKeys(
      draft.startOffset === 0 ? {} : current.additional_metadata,
      current,
      draft,
    ),
    useColpali: update.useColpali ?? current.use_colpali,
    storageFiles: [],
    sourceSum: update.strategy === 'replace' ? sumOfText(update.content) : null,
    ingestedFrom: null,
  };
}

/** @throws Conflict while the first version is being processed. */
export function requireVersion(row: DocumentRow): void {
  if (row.status === 'processing') throw stillProcessing();
}

/**
 * Combines the Idempotency-Key with the end user, so that end users cannot share a key. A line end separates the two,
 * because a header value cannot contain a line end.
 */
function keyOfPerson({ endUserId, reach }: Scope, key: string): string {
  return reach === 'all' ? key : `${endUserId ?? ''}\n${key}`;
}

function stillProcessing(): Conflict {
  return new Conflict('The document is still being processed; try again later');
}
