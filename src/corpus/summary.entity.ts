import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { DocumentEntity } from './document.entity.js';
import { FolderEntity } from './folder.entity.js';

/** A version of the summary of a document or a folder. */
export abstract class SummaryEntity {
  @PrimaryColumn({ type: 'text' })
  readonly appId: string;

  /** Id of the document or folder. */
  @PrimaryColumn({ type: 'uuid' })
  readonly subjectId: string;

  /** 1-based. */
  @PrimaryColumn({ type: 'integer' })
  readonly version: number;

  @Column({ type: 'text' })
  readonly content: string;

  @Column({ type: 'timestamptz', default: () => 'now()' })
  readonly updatedAt: Date;
}

@Entity('document_summaries')
@ForeignKey(() => DocumentEntity, ['appId', 'subjectId'], ['app_id', 'external_id'], { onDelete: 'CASCADE' })
export class DocumentSummaryEntity extends SummaryEntity {}

@Entity('folder_summaries')
@ForeignKey(() => FolderEntity, ['appId', 'subjectId'], ['appId', 'folderId'], { onDelete: 'CASCADE' })
export class FolderSummaryEntity extends SummaryEntity {}
