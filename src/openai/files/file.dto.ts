import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Invalid } from '../../errors/index.js';
import { ChoiceField, IntegerField, TextField } from '../../http/input/fields.js';
import { CrossField } from '../../http/input/input.pipe.js';
import { CursorListDto, type Order } from '../cursor-list.js';
import { idOf } from '../ids.js';
import type { FileRow } from './file.repository.js';

const PURPOSES = ['assistants', 'batch', 'fine-tune', 'vision', 'user_data', 'evals'] as const;

const ID = 'file-0199f1c2a4d87e0b9c3d5e6f7a8b9c0d';

const HOUR_SECONDS = 3_600;
const MONTH_SECONDS = 30 * 24 * HOUR_SECONDS;

/** The members of the form beside the file. */
@CrossField<UploadFileFields>(['expires_after[anchor]', 'expires_after[seconds]'], (fields) => {
  const given = [fields['expires_after[anchor]'], fields['expires_after[seconds]']];
  if (given.every((value) => value === null) || given.every((value) => value !== null)) return;
  throw Invalid.at(['expires_after'], 'Value error, expires_after expects anchor and seconds');
})
export class UploadFileFields {
  @ChoiceField({
    required: true,
    values: PURPOSES,
    description: 'What the file is for. Files of every purpose can be attached to a vector store.',
    example: 'assistants',
  })
  purpose: (typeof PURPOSES)[number];

  @ChoiceField({
    nullable: true,
    values: ['created_at'],
    description: 'What the lifetime counts from.',
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

/** As OpenAI: a client that does not page gets every file. */
const MOST_FILES = 10_000;

export class FilesQuery {
  @TextField({ nullable: true, description: 'Only files with this purpose.', example: 'assistants' })
  purpose: string | null = null;

  @IntegerField({
    inText: true,
    min: 1,
    max: MOST_FILES,
    description: 'The most files to return.',
    openapi: { default: MOST_FILES },
  })
  limit = MOST_FILES;

  @ChoiceField({
    values: ['asc', 'desc'],
    description: 'By the time of upload.',
    openapi: { default: 'desc' },
  })
  order: Order = 'desc';

  @TextField({ nullable: true, description: 'Id of the file that the page begins behind.' })
  after: string | null = null;
}

export class FileDto {
  @ApiProperty({ description: 'Identifier.', example: ID })
  id: string;

  @ApiProperty({ type: 'string', enum: ['file'], description: 'What this is.', example: 'file' })
  object: 'file';

  @ApiProperty({ type: 'integer', description: 'Size.', example: 48_219 })
  bytes: number;

  @ApiProperty({ type: 'integer', description: 'When it was uploaded, in seconds since 1970.' })
  created_at: number;

  @ApiPropertyOptional({ type: 'integer', description: 'When it is deleted, in seconds since 1970.' })
  expires_at?: number;

  @ApiProperty({ description: 'Name.', example: 'harbour.txt' })
  filename: string;

  @ApiProperty({ description: 'What it is for.', example: 'assistants' })
  purpose: string;

  @ApiProperty({
    type: 'string',
    enum: ['processed'],
    description: 'A file is ready at once; a vector store has the status of its own copy.',
    example: 'processed',
  })
  status: 'processed';
}

export class FileListDto extends CursorListDto {
  @ApiProperty({ type: [FileDto], description: 'The files.' })
  data: FileDto[];
}

export class DeletedFileDto {
  @ApiProperty({ description: 'Identifier of the file.', example: ID })
  id: string;

  @ApiProperty({ type: 'string', enum: ['file'], description: 'What it was.', example: 'file' })
  object: 'file';

  @ApiProperty({ description: 'Whether it was deleted.', example: true })
  deleted: boolean;
}

export function secondsOf(time: Date): number {
  return Math.floor(time.getTime() / 1_000);
}

/** The facts that an answer shows of a file. */
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
