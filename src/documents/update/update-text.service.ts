import { setTimeout } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import pLimit, { type LimitFunction } from 'p-limit';
import type { EntityManager } from 'typeorm';
import type { Scope } from '../../auth/scope.js';
import { shardOf } from '../../auth/tenant-shards.js';
import type { DocumentRow } from '../../corpus/document-row.js';
import { Conflict } from '../../errors/index.js';
import { overlaid } from '../../metadata/typed-metadata.js';
import { IngestionService, TextChanged, type Commit } from '../../ingestion/ingestion.service.js';
import type { UpdateStrategy } from '../../ingestion/job.js';
import { JobQueue } from '../../ingestion/job-queue.js';
import type { Rule } from '../../ingestion/rules/rule.js';
import type { Draft, NewContent, RowChange } from '../../ingestion/version.js';
import { throwIfAborted } from '../../request/request-context.js';
import { typedMetadataOf } from '../document-metadata.js';
import { recordOf } from '../document-record.js';
import type { DocumentDto } from '../document.dto.js';
import { documentNotFound, DocumentService } from '../document.service.js';
import { textTypeOf } from '../files/document-file.js';
import { IdempotencyRepository, type IdempotentRequest } from './idempotency.repository.js';

export interface TextUpdate {
  readonly strategy: UpdateStrategy;
  /** Not blank. */
  readonly content: string;
  /** null keeps the name. */
  readonly filename: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly metadataTypes: Readonly<Record<string, unknown>> | null;
  /** null: as the document was ingested. */
  readonly useColpali: boolean | null;
  readonly rules: readonly Rule[];
}

/** How long an update waits for the jobs that came before it, and how often it looks. */
const MAX_WAIT_MS = 60_000;
const LOOK_EVERY_MS = 100;

/** Where an update stands among the jobs of its document. */
interface Turn {
  /** Revision of the last one that came before it; null: there was none. */
  readonly after: string | null;
  /** Until when it waits for them, in milliseconds of `performance.now()`. */
  readonly deadline: number;
}

type Alongside = (manager: EntityManager, row: DocumentRow) => Promise<void>;

/** The other request with the same key was first: this one's transaction is given up. */
class AnsweredMeanwhile extends Conflict {}

/**
 * Updates the text of documents within the request: drafted, staged and committed as a job does it. An `add` splits and
 * embeds the tail only. An update may be sent twice under one key: its answer is kept in its transaction.
 */
@Injectable()
export class UpdateTextService {
  /** By document, while it is being updated in this process: one after another saves work that would be in vain. */
  private readonly turns = new Map<string, LimitFunction>();

  constructor(
    private readonly documents: DocumentService,
    private readonly ingestion: IngestionService,
    private readonly keys: IdempotencyRepository,
    private readonly jobs: JobQueue,
  ) {}

  /**
   * @param key value of Idempotency-Key; undefined updates every time.
   * @throws NotFound for an unknown or foreign id, Conflict while the first version is being processed, when what came
   *   before takes too long, and when the key came with another request before, Invalid for metadata that does not fit
   *   its type, ProviderFailed when the embedding model or a rule fails. The old version stays whole.
   */
  async update(
    scope: Scope,
    documentId: string,
    update: TextUpdate,
    key: string | undefined,
  ): Promise<DocumentDto> {
    if (key === undefined) return recordOf(await this.updateText(scope, documentId, update));
    const request: IdempotentRequest = {
      key: keyOfPerson(scope, key),
      content: ['update_text', documentId, update],
    };
    const answered = await this.answer(scope, request);
    if (answered !== undefined) return answered;
    try {
      const row = await this.updateText(scope, documentId, update, async (manager, updated) => {
        if (!(await this.keys.keep(manager, scope, request, recordOf(updated)))) {
          throw new AnsweredMeanwhile('This Idempotency-Key was used by another request at the same time');
        }
      });
      return recordOf(row);
    } catch (error) {
      const first = error instanceof AnsweredMeanwhile ? await this.answer(scope, request) : undefined;
      if (first === undefined) throw error;
      return first;
    }
  }

  private async answer(scope: Scope, request: IdempotentRequest): Promise<DocumentDto | undefined> {
    return (await this.keys.find(scope, request)) as DocumentDto | undefined;
  }

  private async updateText(
    tenant: Scope,
    documentId: string,
    update: TextUpdate,
    alongside?: Alongside,
  ): Promise<DocumentRow> {
    const scope = shardOf(tenant, documentId);
    const { external_id: id, progress } = await this.updatable(scope, documentId, update);
    const after = progress === null ? null : await this.jobs.lastPending(scope, id);
    const deadline = performance.now() + MAX_WAIT_MS;
    const content = await this.contentOf(scope, id, update);
    return this.inTurn(`${scope.appId}/${id}`, async () => {
      for (;;) {
        const row = await this.afterEarlier(scope, id, update, { after, deadline });
        const draft = await this.ingestion.draft(scope, row, named(content, update, row));
        const version = await this.ingestion.stage(draft);
        try {
          const change: Commit['change'] = (current) => rowChangeOf(update, draft, current);
          const commits = [{ version, by: { after }, change, ...(alongside && { alongside }) }];
          const updated = (await this.ingestion.commit(scope, commits)).get(id);
          if (updated === undefined) throw documentNotFound();
          return updated;
        } catch (error) {
          // Something else changed the document meanwhile, or a job that came before is back: begin again.
          if (!(error instanceof TextChanged)) throw error;
        }
      }
    });
  }

  /**
   * The document once the jobs that came before the update are through: what they bring is older.
   * @throws Conflict at the deadline; the reason of the present signal.
   */
  private async afterEarlier(
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

  /** Rules are slow and look at the new content alone, so they run before the update takes its turn. */
  private async contentOf(scope: Scope, documentId: string, update: TextUpdate): Promise<NewText> {
    const { strategy, content: text, rules, metadata } = update;
    this.ingestion.requireRunnable(rules, ['body', 'rules']);
    const source = { kind: 'inline', text } as const;
    const content = { strategy, source, rules, explicitKeys: Object.keys(metadata), wantsPages: false };
    if (rules.length === 0) return content;
    const row = await this.updatable(scope, documentId, update);
    return { ...content, ruled: (await this.ingestion.draft(scope, row, named(content, update, row))).ruled };
  }

  /** The document as it is, once the update is known to fit it. */
  private async updatable(scope: Scope, documentId: string, update: TextUpdate): Promise<DocumentRow> {
    const row = await this.documents.get(scope, documentId);
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

/** The content with the name that the document has after the update. */
function named(content: NewText, { filename }: TextUpdate, row: DocumentRow): NewContent {
  return { ...content, filename: filename ?? row.filename };
}

function rowChangeOf(update: TextUpdate, draft: Draft, current: DocumentRow): RowChange {
  requireVersion(current);
  // Explicit metadata wins over what rules found.
  const given = { metadata: update.metadata, metadataTypes: update.metadataTypes ?? {} };
  return {
    isUpdate: true,
    filename: update.filename,
    contentType:
      update.strategy === 'replace' ? textTypeOf(update.filename ?? current.filename) : current.content_type,
    ...typedMetadataOf(current, overlaid<unknown, unknown>(draft.extracted, given)),
    // What parsing found in a file does not describe another text.
    additionalMetadata: draft.startOffset === 0 ? {} : current.additional_metadata,
    useColpali: update.useColpali ?? current.use_colpali,
    file: null,
    ingestedFrom: null,
    overruled: [],
  };
}

/** @throws Conflict while the first version is being made: there is nothing to update yet. */
export function requireVersion(row: DocumentRow): void {
  if (row.status === 'processing') throw stillProcessing();
}

/** Returns the idempotency key among those of the caller's end user. A header cannot contain the line end. */
function keyOfPerson({ endUserId }: Scope, key: string): string {
  return endUserId === null ? key : `${endUserId}\n${key}`;
}

function stillProcessing(): Conflict {
  return new Conflict('The document is still being processed; try again later');
}
