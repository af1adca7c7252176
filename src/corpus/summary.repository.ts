import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import sql from 'sql-template-tag';
import { type Scope, shardOf } from '../auth/scope.js';
import { run, type Queryable } from '../database/run.js';
import { Conflict } from '../errors/index.js';
import { DocumentSummaryEntity, FolderSummaryEntity, type SummaryEntity } from './summary.entity.js';

const ENTITIES = { document: DocumentSummaryEntity, folder: FolderSummaryEntity };

/** Statements that lock the subject. The lock serialises writers of its summary. */
const LOCKS = {
  document: (appId: string, id: string) =>
    sql`select from documents where app_id = ${appId} and external_id = ${id} for no key update`,
  folder: (appId: string, id: string) =>
    sql`select from folders where app_id = ${appId} and folder_id = ${id} for no key update`,
};

/** A document or folder with a summary. */
export interface SummarySubject {
  readonly kind: keyof typeof ENTITIES;
  readonly id: string;
}

export interface SummaryText {
  readonly content: string;
  /** What happens to an existing summary. */
  readonly mode: 'new-version' | 'overwrite' | 'first-only';
}

export type Summary = Pick<SummaryEntity, 'version' | 'content' | 'updatedAt'>;

/** The summary of a document is stored in the document's shard. */
function appIdOf(scope: Scope, { kind, id }: SummarySubject): string {
  return kind === 'document' ? shardOf(scope, id).appId : scope.appId;
}

@Injectable()
export class SummaryRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns the latest version, or null if the subject has no summary. */
  async latest(
    scope: Scope,
    { kind, id }: SummarySubject,
    manager: EntityManager = this.dataSource.manager,
  ): Promise<Summary | null> {
    return manager.findOne<SummaryEntity>(ENTITIES[kind], {
      where: { appId: appIdOf(scope, { kind, id }), subjectId: id },
      order: { version: 'DESC' },
    });
  }

  /**
   * Writes a summary.
   * @returns null if the subject was deleted
   * @throws Conflict if a summary exists and the mode is `first-only`.
   */
  async write(scope: Scope, subject: SummarySubject, text: SummaryText): Promise<Summary | null> {
    return this.dataSource.transaction(async (manager) => {
      const locked = await run(manager, LOCKS[subject.kind](appIdOf(scope, subject), subject.id));
      return locked.length === 0 ? null : this.writeVersion(manager, scope, subject, text);
    });
  }

  /**
   * Removes the summaries of documents of one tenant shard, in all versions, because their texts are replaced. The caller
   * must have locked the documents.
   */
  async removeOf(manager: Queryable, { appId }: Scope, documentIds: readonly string[]): Promise<void> {
    await run(
      manager,
      sql`delete from document_summaries where app_id = ${appId} and subject_id = any(${documentIds}::uuid[])`,
    );
  }

  private async writeVersion(
    manager: EntityManager,
    scope: Scope,
    subject: SummarySubject,
    { content, mode }: SummaryText,
  ): Promise<Summary> {
    const latest = await this.latest(scope, subject, manager);
    if (latest !== null && mode === 'first-only') {
      throw new Conflict('A summary already exists: set versioning or overwrite_latest');
    }
    const present = latest?.version ?? 0;
    const version = mode === 'overwrite' ? Math.max(1, present) : present + 1;
    const appId = appIdOf(scope, subject);
    const summary = { appId, subjectId: subject.id, version, content, updatedAt: new Date() };
    await manager.upsert(ENTITIES[subject.kind], summary, ['appId', 'subjectId', 'version']);
    return summary;
  }
}
