import { Injectable } from '@nestjs/common';
import type { Scope } from '../auth/scope.js';
import type { FolderName } from '../corpus/folder.repository.js';
import { SummaryRepository, type SummarySubject, type SummaryText } from '../corpus/summary.repository.js';
import { toSummaryDto, type SummaryDto } from '../documents/summary/summary.dto.js';
import { NotFound } from '../errors/index.js';
import { FolderService } from './folder.service.js';

/** Reads and writes the summaries of folders. */
@Injectable()
export class FolderSummaryService {
  constructor(
    private readonly folders: FolderService,
    private readonly summaries: SummaryRepository,
  ) {}

  /** @throws NotFound for an unknown or foreign folder, and for one without a summary. */
  async get(scope: Scope, name: FolderName): Promise<SummaryDto> {
    const subject = await this.subject(scope, name);
    const summary = await this.summaries.latest(scope, subject);
    if (summary === null) throw new NotFound('The folder has no summary');
    return toSummaryDto(subject, summary);
  }

  /** @throws NotFound for an unknown or foreign folder; Conflict when a summary is there that is to be kept. */
  async write(scope: Scope, name: FolderName, text: SummaryText): Promise<SummaryDto> {
    const subject = await this.subject(scope, name);
    const summary = await this.summaries.write(scope, subject, text);
    if (summary === null) throw new NotFound('Folder not found');
    return toSummaryDto(subject, summary);
  }

  private async subject(scope: Scope, name: FolderName): Promise<SummarySubject> {
    return { kind: 'folder', id: (await this.folders.get(scope, name)).id };
  }
}
