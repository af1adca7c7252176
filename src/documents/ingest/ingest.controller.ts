import { Body, Controller, Post, Req } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { Scope } from '../../auth/scope.js';
import { CurrentScope } from '../../http/current-scope.decorator.js';
import { FormBody } from '../../http/forms.js';
import { Route } from '../../http/route.decorator.js';
import { recordOf } from '../document-record.js';
import { DocumentDto } from '../document.dto.js';
import { DemoService } from './demo.service.js';
import { IngestedFilesDto, IngestFields, IngestFilesFields, IngestTextRequest } from './ingest.dto.js';
import { IngestService } from './ingest.service.js';
import { RequeueRequest, RequeueResponseDto, RequeueService } from './requeue.service.js';
import { auditOfVersions } from './audit-of-versions.js';
import { eachIn } from '../../http/bundled-calls.js';

const ALREADY_STORED = {
  409: 'The same content is stored as document 0199f1c2-a4d8-7e0b-9c3d-5e6f7a8b9c0d ("lamp.txt")',
};

@ApiTags('ingestion')
@Controller('ingest')
export class IngestController {
  constructor(
    private readonly service: IngestService,
    private readonly demo: DemoService,
    private readonly requeues: RequeueService,
  ) {}

  @Post('text')
  @Route({
    operationId: 'ingestText',
    permission: 'write',
    token: 'ingest',
    audit: auditOfVersions('document.update_text'),
    summary: 'Ingest a text',
    description:
      'Returns the record with status `processing`. The document is searchable once GET /documents/{document_id}/status reports `completed`.',
    carriesDocument: true,
    errors: ALREADY_STORED,
  })
  @ApiOkResponse({ type: DocumentDto })
  async text(@CurrentScope() scope: Scope, @Body() body: IngestTextRequest): Promise<DocumentDto> {
    return recordOf(scope, await this.service.ingestText(scope, body));
  }

  @Post('file')
  @Route({
    operationId: 'ingestFile',
    permission: 'write',
    token: 'ingest',
    audit: auditOfVersions('document.update_file'),
    summary: 'Ingest a file',
    description:
      'Detects the type from the content. A file of a type that cannot be read is refused with 415, one that is empty or needs a password with 422. A damaged file gets the status `failed` with a reason.',
    multipart: true,
    errors: {
      ...ALREADY_STORED,
      415: 'Files of type application/x-msdownload cannot be read: convert the file to PDF, DOCX or plain text.',
    },
  })
  @FormBody({ name: 'file', description: 'The file.' }, IngestFields)
  @ApiOkResponse({ type: DocumentDto })
  async file(@CurrentScope() scope: Scope, @Req() request: FastifyRequest): Promise<DocumentDto> {
    return recordOf(scope, await this.service.ingestFile(scope, request));
  }

  @Post('files')
  @Route({
    operationId: 'ingestFiles',
    permission: 'write',
    token: 'ingest',
    audit: auditOfVersions('document.update_file'),
    summary: 'Ingest several files',
    description:
      'Creates one document per file. A rejected file, such as one of a type that cannot be read, is in `errors` and does not affect the others.',
    multipart: true,
  })
  @FormBody({ name: 'files', description: 'The files; repeat the field.', several: true }, IngestFilesFields)
  @ApiOkResponse({ type: IngestedFilesDto })
  files(@CurrentScope() scope: Scope, @Req() request: FastifyRequest): Promise<IngestedFilesDto> {
    return this.service.ingestFiles(scope, request);
  }

  @Post('demo')
  @Route({
    operationId: 'ingestDemo',
    permission: 'write',
    summary: 'Ingest the demo documents',
    description:
      'Ingests the example documents of the package: a report in PDF, a manual in Markdown, a page in HTML. Skips documents that already exist.',
  })
  @ApiOkResponse({ type: DocumentDto, isArray: true })
  async loadDemo(@CurrentScope() scope: Scope): Promise<DocumentDto[]> {
    return (await this.demo.load(scope)).map((row) => recordOf(scope, row));
  }

  @Post('requeue')
  @Route({
    operationId: 'requeueIngestion',
    permission: 'write',
    summary: 'Requeue documents',
    calls: eachIn('jobs'),
    description:
      'Resumes failed documents. Rebuilds completed documents from their stored source; they stay searchable meanwhile.',
  })
  @ApiOkResponse({ type: RequeueResponseDto })
  async requeue(@CurrentScope() scope: Scope, @Body() body: RequeueRequest): Promise<RequeueResponseDto> {
    return { results: await this.requeues.requeue(scope, body) };
  }
}
