import { ApiProperty } from '@nestjs/swagger';
import type { ChunkSizes } from '#reader';
import { Invalid } from '../../errors/index.js';
import { Examples } from '../../http/input/examples.js';
import { CrossField } from '../../http/input/input.pipe.js';
import { NestedListField, TextListField } from '../../http/input/fields.js';
import { AttributesField, type Attributes } from '../attributes.js';
import { ChunkingField, TakesChunking } from '../chunking.js';
import { secondsOf } from '../files/file.dto.js';
import { idOf } from '../ids.js';
import { AttachFileRequest } from '../store-files/store-file.dto.js';
import { FileCountsDto } from '../vector-stores/vector-store.dto.js';
import type { FileBatchRow } from '../../corpus/vector-stores/file-batch.repository.js';

const MAX_FILES = 2_000;

const FILE_ID = 'file-0199f1c2a4d87e0b9c3d5e6f7a8b9c0d';

@CrossField<CreateFileBatchRequest>(['file_ids', 'files'], ({ file_ids, files }) => {
  if (file_ids !== null && files !== null) {
    throw Invalid.at(['files'], 'Value error, file_ids and files exclude each other: send one of them');
  }
  if (file_ids === null && files === null) {
    throw Invalid.at(['file_ids'], 'Value error, file_ids or files is required');
  }
  if ((file_ids ?? files ?? []).length > 0) return;
  throw Invalid.at([file_ids === null ? 'files' : 'file_ids'], 'Value error, at least one file is required');
})
@Examples({
  'Files of one customer': { file_ids: [FILE_ID], attributes: { customer: 'acme' } },
  'Files with their own attributes': { files: [{ file_id: FILE_ID, attributes: { year: 2026 } }] },
})
@TakesChunking()
export class CreateFileBatchRequest {
  @TextListField({
    nullable: true,
    maxSize: MAX_FILES,
    description: `Identifiers of files, at most ${MAX_FILES}. Exactly one of \`file_ids\` and \`files\` is required.`,
    example: [FILE_ID],
  })
  file_ids: string[] | null = null;

  @NestedListField({
    nullable: true,
    maxSize: MAX_FILES,
    type: () => AttachFileRequest,
    description: `Files, each with its own attributes and chunking strategy, at most ${MAX_FILES}.`,
  })
  files: AttachFileRequest[] | null = null;

  @AttributesField()
  attributes: Attributes | null = null;

  @ChunkingField()
  chunking_strategy: ChunkSizes | null = null;
}

const STATUSES = ['in_progress', 'completed', 'cancelled', 'failed'] as const;

export class FileBatchDto {
  @ApiProperty({ description: 'Id.', example: 'vsfb_0199f1c2a4d87e0b9c3d5e6f7a8b9c0d' })
  id: string;

  @ApiProperty({ type: 'string', enum: ['vector_store.files_batch'], description: 'Object type.' })
  object: 'vector_store.files_batch';

  @ApiProperty({ type: 'integer', description: 'Creation time, in seconds since 1970.' })
  created_at: number;

  @ApiProperty({ description: 'Vector store id.', example: 'vs_0199f1c2a4d87e0b9c3d5e6f7a8b9c0d' })
  vector_store_id: string;

  @ApiProperty({
    type: 'string',
    enum: STATUSES,
    description:
      'in_progress: files are pending or being ingested. cancelled: the batch was cancelled. failed: all files failed. completed: all other batches.',
    example: 'completed',
  })
  status: (typeof STATUSES)[number];

  @ApiProperty({ type: FileCountsDto, description: 'Number of files by status.' })
  file_counts: FileCountsDto;
}

export function toFileBatchDto(batch: FileBatchRow, counts: FileCountsDto): FileBatchDto {
  return {
    id: idOf('batch', batch.id),
    object: 'vector_store.files_batch',
    created_at: secondsOf(batch.createdAt),
    vector_store_id: idOf('store', batch.folderId),
    status: statusOf(batch, counts),
    file_counts: counts,
  };
}

/**
 * Derives the status from the counts, so that status and counts always agree. Some clients poll the status, and other
 * clients poll the counts.
 */
function statusOf({ cancelledAt }: FileBatchRow, counts: FileCountsDto): FileBatchDto['status'] {
  if (counts.in_progress > 0) return 'in_progress';
  if (cancelledAt !== null) return 'cancelled';
  return counts.failed > 0 && counts.failed === counts.total ? 'failed' : 'completed';
}
