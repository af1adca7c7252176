import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Invalid } from '../../errors/index.js';
import { ChoiceField, IntegerField, TextField } from '../../http/input/fields.js';
import { CrossField } from '../../http/input/input.pipe.js';
import { CursorListDto, type Order } from '../cursor-list.js';
import { idOf } from '../ids.js';
import type { FileRow } from '../../corpus/vector-stores/file.repository.js';

const PURPOSES = ['assistants', 'batch', 'fine-tune', 'vision', 'user_data', 'evals'] as const;

const ID = 'file-0199f1c2a4d87e0b9c3d5e6f7a8b9c0d';

const HOUR_SECONDS = 3_600;
const MONTH_SECONDS = 30 * 24 * HOUR_SECONDS;

/** Fields of the form, except the file. */
@CrossField<UploadFileFields>(['expires_after[anchor]', 'expires_after[seconds]'], (fields) => {
  const given = [fields['expires_after[anchor]'], fields['expires_after[seconds]']];
  if (given.every((value) => value === null) || given.every((value) => value !== null)) return;
  throw Invalid.at(['expires_after'], 'Value error, expires_after expects anchor and seconds');
})
export class UploadFileFields {
  @ChoiceField({
    required: true,
    values: PURPOSES,
    description: 'Purpose. Files of every purpose can be attached to a vector store.',
    example: 'assistants',
  })
  purpose: (typeof PURPOSES)[number];

  @ChoiceField({
    nullable: true,
    values: ['created_at'],
    description: 'Start of the lifetime.',
  })
  'expires_after[anchor]': 'created_at' | null = null;

  @IntegerField({
    nullable: true,
    inText: true,
    min: HOUR_SECONDS,
    max: MONTH_SECONDS,
    description: 'Seconds after which the file is deleted. Unset: never.',
  })
  'expires_after[seconds]': number | null = null;
}

/** Default number of files in a list. As high as OpenAI's default, because some clients request one page only. */
const MOST_FILES = 10_000;

export class FilesQuery {
  @TextField({ nullable: true, description: 'Returns only files with this purpose.' })
  purpose: string | null = null;

  @IntegerField({
    inText: true,
    min: 1,
    max: MOST_FILES,
    description: 'Maximum number of files.',
    openapi: { default: MOST_FILES },
  })
  limit = MOST_FILES;

  @ChoiceField({
    values: ['asc', 'desc'],
    description: 'Sort order by time of upload.',
    openapi: { default: 'desc' },
  })
  order: Order = 'desc';

  @TextField({ nullable: true, description: 'Id of the file that precedes the page.' })
  after: string | null = null;
}

export class FileDto {
  @ApiProperty({ description: 'Id.', example: ID })
  id: string;

  @ApiProperty({ type: 'string', enum: ['file'], description: 'Object type.', example: 'file' })
  object: 'file';

  @ApiProperty({ type: 'integer', description: 'Size.', example: 48_219 })
  bytes: number;

  @ApiProperty({ type: 'integer', description: 'Time of upload, in seconds since 1970.' })
  created_at: number;

  @ApiPropertyOptional({ type: 'integer', description: 'Time of expiry, in seconds since 1970.' })
  expires_at?: number;

  @ApiProperty({ description: 'Name.', example: 'harbour.txt' })
  filename: string;

  @ApiProperty({ description: 'Purpose.', example: 'assistants' })
  purpose: string;

  @ApiProperty({
    type: 'string',
    enum: ['processed'],
    description: 'Always processed. For the status of ingestion, get the file from its vector store.',
    example: 'processed',
  })
  status: 'processed';
}

export class FileListDto extends CursorListDto {
  @ApiProperty({ type: [FileDto], description: 'Files.' })
  data: FileDto[];
}

export class DeletedFileDto {
  @ApiProperty({ description: 'File id.', example: ID })
  id: string;

  @ApiProperty({ type: 'string', enum: ['file'], description: 'Object type.', example: 'file' })
  object: 'file';

  @ApiProperty({ description: 'Whether it was deleted.', example: true })
  deleted: boolean;
}

export function secondsOf(time: Date): number {
  return Math.floor(time.getTime() / 1_000);
}

export type ShownFile = Pick<FileRow, 'id' | 'purpose' | 'filename' | 'createdAt' | 'expiresAt'> & {
  readonly bytes: string | number;
};

export function toFileDto({ id, bytes, createdAt, expiresAt, filename, purpose }: ShownFile): FileDto {
  return {
    id: idOf('file', id),
    object: 'file',
    bytes: Number(bytes),
    created_at: secondsOf(createdAt),
    ...(expiresAt === null ? {} : { expires_at: secondsOf(expiresAt) }),
    filename,
    purpose,
    status: 'processed',
  };
}
