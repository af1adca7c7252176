import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Scope } from '../auth/scope.js';
import { Conflict } from '../errors/index.js';
import { DocumentSummaryEntity, FolderSummaryEntity, type SummaryEntity } from './summary.entity.js';

const ENTITIES = { document: DocumentSummaryEntity, folder: FolderSummaryEntity };

/** What has a summary. */
export interface SummarySubject {
  readonly kind: keyof typeof ENTITIES;
  readonly id: string;
}

export interface SummaryText {
  readonly content: string;
  /** What happens to a summary that is there. */
  readonly mode: 'new-version' | 'overwrite' | 'first-only';
}

export type Summary = Pick<SummaryEntity, 'version' | 'content' | 'updatedAt'>;

/** Summaries of documents and folders. */
@Injectable()
export class SummaryRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** The latest version; null: there is none. */
  async latest(
    { appId }: Scope,
    { kind, id }: SummarySubject,
    manager: EntityManager = this.dataSource.manager,
  ): Promise<Summary | null> {
    return manager.findOne<SummaryEntity>(ENTITIES[kind], {
      where: { appId, subjectId: id },
      order: { version: 'DESC' },
    });
  }

  /**
   * Writes a summary; its subject is locked by the transaction.
   * @throws Conflict when there is one already, and `first-only` was asked for.
   */
  async write(
    manager: EntityManager,
    scope: Scope,
    subject: SummarySubject,
    { content, mode }: SummaryText,
  ): Promise<Summary> {
    const latest = await this.latest(scope, subject, manager);
    if (latest !== null && mode === 'first-only') {
      throw new Conflict('There is a summary already: set versioning or overwrite_latest');
    }
    const present = latest?.version ?? 0;
    const version = mode === 'overwrite' ? Math.max(1, present) : present + 1;
    const { appId } = scope;
    const summary = { appId, subjectId: subject.id, version, content, updatedAt: new Date() };
    await manager.upsert(ENTITIES[subject.kind], summary, ['appId', 'subjectId', 'version']);
    return summary;
  }
}
