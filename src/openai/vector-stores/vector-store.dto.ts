import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { ChunkSizes } from '#reader';
import type { FileCount, VectorStoreRow } from '../../corpus/vector-stores/vector-store.repository.js';
import { Examples } from '../../http/input/examples.js';
import { ChoiceField, IntegerField, NestedField, TextField, TextListField } from '../../http/input/fields.js';
import { METADATA_SCHEMA, MetadataField } from '../attributes.js';
import { ChunkingField, TakesChunking } from '../chunking.js';
import { CursorListDto } from '../cursor-list.js';
import { secondsOf } from '../files/file.dto.js';
import { idOf } from '../ids.js';

const ID = 'vs_0199f1c2a4d87e0b9c3d5e6f7a8b9c0d';

/** Maximum number of files in a request that creates a store. */
const MAX_FILES = 500;

const MAX_NAME_LENGTH = 256;
const MAX_DESCRIPTION_LENGTH = 512;

const DAY_SECONDS = 24 * 60 * 60;

export class ExpiresAfter {
  @ChoiceField({
    required: true,
    values: ['last_active_at'],
    description: 'Event from which `days` are counted: the last change or search.',
    example: 'last_active_at',
  })
  anchor: 'last_active_at';

  @IntegerField({ required: true, min: 1, max: 365, description: 'Days.', example: 7 })
  days: number;
}

function ExpiresAfterField(): PropertyDecorator {
  return NestedField({
    nullable: true,
    type: () => ExpiresAfter,
    description: 'Expiry policy. null: never.',
  });
}

function NameField(): PropertyDecorator {
  return TextField({
    nullable: true,
    maxLength: MAX_NAME_LENGTH,
    description: 'Name.',
    example: 'Harbour handbook',
  });
}

@Examples({ 'An empty store': { name: 'Harbour handbook', metadata: { customer: 'acme' } } })
@TakesChunking()
export class CreateVectorStoreRequest {
  @NameField()
  name: string | null = null;

  @TextField({ nullable: true, maxLength: MAX_DESCRIPTION_LENGTH, description: 'Description.' })
  description: string | null = null;

  @TextListField({
    nullable: true,
    maxSize: MAX_FILES,
    description: `Files to put into the store, at most ${MAX_FILES}.`,
    example: [],
  })
  file_ids: string[] | null = null;

  @ChunkingField()
  chunking_strategy: ChunkSizes | null = null;

  @ExpiresAfterField()
  expires_after: ExpiresAfter | null = null;

  @MetadataField()
  metadata: Readonly<Record<string, string>> | null = null;
}

/** Body of a request that changes a store. Omitted members remain unchanged; null removes the value of a member. */
@Examples({
  'Another name': { name: 'Harbour handbook 2026', expires_after: { anchor: 'last_active_at', days: 7 } },
})
export class UpdateVectorStoreRequest {
  @NameField()
  name: string | null | undefined = undefined;

  @ExpiresAfterField()
  expires_after: ExpiresAfter | null | undefined = undefined;

  @MetadataField()
  metadata: Readonly<Record<string, string>> | null | undefined = undefined;
}

export class FileCountsDto {
  @ApiProperty({ type: 'integer', description: 'Files being ingested.', example: 0 })
  in_progress: number;

  @ApiProperty({ type: 'integer', description: 'Ingested files.', example: 3 })
  completed: number;

  @ApiProperty({ type: 'integer', description: 'Failed files.', example: 0 })
  failed: number;

  @ApiProperty({
    type: 'integer',
    description: 'Files of a cancelled batch that were not attached.',
    example: 0,
  })
  cancelled: number;

  @ApiProperty({ type: 'integer', description: 'All files.', example: 3 })
  total: number;
}

export class VectorStoreDto {
  @ApiProperty({ description: 'Id.', example: ID })
  id: string;

  @ApiProperty({ type: 'string', enum: ['vector_store'], description: 'Object type.' })
  object: 'vector_store';

  @ApiProperty({ type: 'integer', description: 'Creation time, in seconds since 1970.' })
  created_at: number;

  @ApiProperty({
    description: 'The name. A store that is an ordinary folder has its path.',
    example: 'Harbour handbook',
  })
  name: string;

  @ApiProperty({ type: 'integer', description: 'Characters of the texts plus bytes of the vectors.' })
  usage_bytes: number;

  @ApiProperty({ type: FileCountsDto, description: 'Number of files by status.' })
  file_counts: FileCountsDto;

  @ApiProperty({
    type: 'string',
    enum: ['in_progress', 'completed', 'expired'],
    description: 'in_progress while files are ingested. An expired store cannot be searched.',
    example: 'completed',
  })
  status: 'in_progress' | 'completed' | 'expired';

  @ApiPropertyOptional({ type: ExpiresAfter, description: 'Expiry policy.' })
  expires_after?: ExpiresAfter;

  @ApiProperty({ type: 'integer', nullable: true, description: 'Time of expiry, in seconds since 1970.' })
  expires_at: number | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Time of the last change or search, accurate to a minute, in seconds since 1970.',
  })
  last_active_at: number | null;

  @ApiProperty({ ...METADATA_SCHEMA, nullable: true, description: 'Metadata.' })
  metadata: Readonly<Record<string, string>> | null;
}

export class VectorStoreListDto extends CursorListDto {
  @ApiProperty({ type: [VectorStoreDto], description: 'Vector stores.' })
  data: VectorStoreDto[];
}

export class DeletedVectorStoreDto {
  @ApiProperty({ description: 'Vector store id.', example: ID })
  id: string;

  @ApiProperty({ type: 'string', enum: ['vector_store.deleted'], description: 'Object type.' })
  object: 'vector_store.deleted';

  @ApiProperty({ description: 'Whether it was deleted.', example: true })
  deleted: boolean;
}

export function toFileCounts(counts: readonly FileCount[]): FileCountsDto {
  const of = (status: FileCount['status']): number =>
    counts.reduce((sum, count) => sum + (count.status === status ? count.files : 0), 0);
  const [inProgress, completed] = [of('processing'), of('completed')];
  const [failed, cancelled] = [of('failed'), of('cancelled')];
  const total = inProgress + completed + failed + cancelled;
  return { in_progress: inProgress, completed, failed, cancelled, total };
}

/**
 * @param counts file counts of this store
 * @param usageBytes size of the store's texts and vectors in bytes
 */
export function toVectorStoreDto(
  store: VectorStoreRow,
  counts: readonly FileCount[],
  usageBytes: number,
): VectorStoreDto {
  const { expiresAfterDays: days, lastActiveAt } = store;
  const fileCounts = toFileCounts(counts);
  const lastActive = lastActiveAt === null ? null : secondsOf(lastActiveAt);
  const working = fileCounts.in_progress > 0 ? 'in_progress' : 'completed';
  return {
    id: idOf('store', store.id),
    object: 'vector_store',
    created_at: secondsOf(store.createdAt),
    name: store.name ?? '',
    usage_bytes: usageBytes,
    file_counts: fileCounts,
    status: store.isExpired ? 'expired' : working,
    ...(days === null ? {} : { expires_after: { anchor: 'last_active_at', days } }),
    expires_at: days === null || lastActive === null ? null : lastActive + days * DAY_SECONDS,
    last_active_at: lastActive,
    metadata: store.metadata,
  };
}
