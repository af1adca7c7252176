import { Injectable } from '@nestjs/common';
import type { Scope } from '../../auth/scope.js';
import { SummaryRepository, type SummarySubject, type SummaryText } from '../../corpus/summary.repository.js';
import { NotFound } from '../../errors/index.js';
import { documentNotFound, DocumentService } from '../document.service.js';
import { toSummaryDto, type SummaryDto } from './summary.dto.js';

/** Reads and writes the summaries of documents. */
@Injectable()
export class SummaryService {
  constructor(
    private readonly documents: DocumentService,
    private readonly summaries: SummaryRepository,
  ) {}

  /** @throws NotFound for an unknown or foreign document, and for one without a summary. */
  async get(scope: Scope, documentId: string): Promise<SummaryDto> {
    const subject = await this.subject(scope, documentId);
    const summary = await this.summaries.latest(scope, subject);
    if (summary === null) throw new NotFound('The document has no summary');
    return toSummaryDto(subject, summary);
  }

  /** @throws NotFound for an unknown or foreign document; Conflict when a summary is there that is to be kept. */
  async write(scope: Scope, documentId: string, text: SummaryText): Promise<SummaryDto> {
    const subject = await this.subject(scope, documentId);
    const summary = await this.summaries.write(scope, subject, text);
    if (summary === null) throw documentNotFound();
    return toSummaryDto(subject, summary);
  }

  private async subject(scope: Scope, documentId: string): Promise<SummarySubject> {
    return { kind: 'document', id: (await this.documents.get(scope, documentId)).external_id };
  }
}
