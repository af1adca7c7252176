import { ApiProperty } from '@nestjs/swagger';
import { DOCUMENT_STATUSES, type DocumentStatus } from '../../corpus/document-row.js';
import { Invalid } from '../../errors/index.js';
import { CrossField } from '../../http/input/input.pipe.js';
import { Examples } from '../../http/input/examples.js';
import {
  ChoiceListField,
  FlagField,
  IntegerField,
  NestedListField,
  TextField,
} from '../../http/input/fields.js';
import { MAX_DOCUMENTS } from '../delete-documents.dto.js';
import { REQUEUE_STATUSES, type RequeueStatus } from './requeue.service.js';

const ID = '8f14e45f-ceea-467f-9a0c-1c1e3b1f2d4a';

export class RequeueJob {
  @TextField({ required: true, description: 'Identifier of the document.', example: ID })
  external_id: string;

  @FlagField({
    nullable: true,
    description: 'Whether pages are embedded as images too. null: as the document was ingested.',
    example: null,
  })
  use_colpali: boolean | null = null;
}

/** Body of POST /ingest/requeue. */
@Examples({
  'What has failed': { include_all: true, statuses: ['failed'], limit: 100 },
  'One document': { jobs: [{ external_id: 'an id from POST /documents' }] },
})
@CrossField<RequeueRequest>(['jobs', 'include_all'], ({ jobs, include_all }) => {
  if ((jobs ?? []).length > 0 || include_all === true) return;
  throw Invalid.at([], 'Value error, name jobs, or set include_all to true');
})
export class RequeueRequest {
  @NestedListField({
    nullable: true,
    type: () => RequeueJob,
    description: `Documents to ingest again, at most ${MAX_DOCUMENTS}.`,
    maxSize: MAX_DOCUMENTS,
  })
  jobs: RequeueJob[] | null = null;

  @FlagField({ nullable: true, description: 'Every document with one of the statuses.', example: false })
  include_all: boolean | null = null;

  @ChoiceListField({
    nullable: true,
    description: 'With include_all. Unset: processing and failed.',
    example: ['failed'],
    values: DOCUMENT_STATUSES,
  })
  statuses: DocumentStatus[] | null = null;

  @IntegerField({
    nullable: true,
    positive: true,
    max: MAX_DOCUMENTS,
    description: `With include_all: most documents, those first that waited longest. Unset: ${MAX_DOCUMENTS}.`,
    example: 100,
  })
  limit: number | null = null;

  /** The documents with one of these statuses; null when only named ones are asked for. */
  get selection(): { readonly statuses: readonly DocumentStatus[]; readonly limit: number } | null {
    if (this.include_all !== true) return null;
    const { statuses } = this;
    const isGiven = statuses !== null && statuses.length > 0;
    return { statuses: isGiven ? statuses : ['processing', 'failed'], limit: this.limit ?? MAX_DOCUMENTS };
  }
}

export class RequeueResultDto {
  @ApiProperty({ type: 'string', description: 'Identifier, as it was given.', example: ID })
  external_id: string;

  @ApiProperty({ type: 'string', enum: REQUEUE_STATUSES, description: 'What was done.', example: 'requeued' })
  status: RequeueStatus;

  @ApiProperty({
    type: 'string',
    description: 'The same in words.',
    example: 'The document is ingested again',
  })
  message: string;
}

export class RequeueResponseDto {
  @ApiProperty({ type: [RequeueResultDto], description: 'One for each document.' })
  results: RequeueResultDto[];
}
