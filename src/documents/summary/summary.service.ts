import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import type { Scope } from '../../auth/scope.js';
import type { DocumentRow } from '../../corpus/document-row.js';
import {
  SummaryRepository,
  type Summary,
  type SummarySubject,
  type SummaryText,
} from '../../corpus/summary.repository.js';
import { NotFound } from '../../errors/index.js';
import { Examples } from '../../http/input/examples.js';
import { FlagField, TextField } from '../../http/input/fields.js';
import { documentNotFound, DocumentService } from '../document.service.js';

@Examples({ 'A new version': { content: 'How the controller is set up, and what its error codes mean.' } })
export class WriteSummaryRequest {
  @TextField({
    required: true,
    notBlank: true,
    description: 'The summary: text or Markdown.',
    example: 'How the controller is set up, and what its error codes mean.',
  })
  content: string;

  @FlagField({ description: 'Whether to add a version and keep earlier ones.', example: true })
  versioning = true;

  @FlagField({
    description: 'Without `versioning`: whether to overwrite an existing summary.',
    example: false,
  })
  overwrite_latest = false;
}

export function summaryTextOf({ content, versioning, overwrite_latest }: WriteSummaryRequest): SummaryText {
  return { content, mode: versioning ? 'new-version' : overwrite_latest ? 'overwrite' : 'first-only' };
}

export class SummaryDto {
  @ApiProperty({ description: 'Text of the latest version.', example: 'How the controller is set up.' })
  content: string;

  @ApiProperty({
    description: 'Storage key.',
    example: 'documents/8f14e45f-ceea-467f-9a0c-1c1e3b1f2d4a/summaries/1',
  })
  storage_key: string;

  @ApiProperty({ description: 'Storage bucket.', example: 'postgresql' })
  bucket: string;

  @ApiProperty({ type: 'integer', description: 'Version number, 1-based.', example: 1 })
  version: number;

  @ApiProperty({
    format: 'date-time',
    description: 'Time of the last change.',
    example: '2026-01-31T12:00:00.000Z',
  })
  updated_at: string;
}

export function toSummaryDto({ kind, id }: SummarySubject, summary: Summary): SummaryDto {
  return {
    content: summary.content,
    storage_key: `${kind}s/${id}/summaries/${summary.version}`,
    bucket: 'postgresql',
    version: summary.version,
    updated_at: summary.updatedAt.toISOString(),
  };
}

@Injectable()
export class SummaryService {
  constructor(
    private readonly documents: DocumentService,
    private readonly summaries: SummaryRepository,
  ) {}

  /** @throws NotFound if the document is unknown, belongs to another tenant, or has no summary. */
  async get(scope: Scope, documentId: string): Promise<SummaryDto> {
    const subject = subjectOf(await this.documents.get(scope, documentId));
    const summary = await this.summaries.latest(scope, subject);
    if (summary === null) throw new NotFound('The document has no summary');
    return toSummaryDto(subject, summary);
  }

  /**
   * @throws NotFound for a document that does not exist or is not visible to the key; Forbidden when the key may not
   * change it; Conflict if a summary exists and the mode is `first-only`.
   */
  async write(scope: Scope, documentId: string, text: SummaryText): Promise<SummaryDto> {
    const subject = subjectOf(await this.documents.getToChange(scope, documentId));
    const summary = await this.summaries.write(scope, subject, text);
    if (summary === null) throw documentNotFound();
    return toSummaryDto(subject, summary);
  }
}

function subjectOf({ external_id: id }: DocumentRow): SummarySubject {
  return { kind: 'document', id };
}
