import { ApiProperty } from '@nestjs/swagger';
import { ChoiceField, IntegerField, TextField } from '../http/input/fields.js';

export type Order = 'asc' | 'desc';

/** Query string of all cursor lists except the list of uploaded files. */
export class CursorQuery {
  @IntegerField({
    inText: true,
    min: 1,
    max: 100,
    description: 'Maximum number of objects.',
    openapi: { default: 20 },
  })
  limit = 20;

  @ChoiceField({
    values: ['asc', 'desc'],
    description: 'Sort order by creation time.',
    openapi: { default: 'desc' },
  })
  order: Order = 'desc';

  @TextField({ nullable: true, description: 'Id of the object that precedes the page.' })
  after: string | null = null;

  @TextField({ nullable: true, description: 'Id of the object that follows the page.' })
  before: string | null = null;
}

/** Members of a page, except `data`. */
export abstract class CursorListDto {
  @ApiProperty({ type: 'string', enum: ['list'], description: 'Object type.', example: 'list' })
  object: 'list';

  @ApiProperty({ description: 'Id of the first object of the page; empty for an empty page.' })
  first_id: string;

  @ApiProperty({ description: 'Id of the last object of the page; empty for an empty page.' })
  last_id: string;

  @ApiProperty({ description: 'Whether more objects follow in the direction of the cursor.', example: false })
  has_more: boolean;
}

interface Page<T> {
  readonly object: 'list';
  readonly data: T[];
  readonly first_id: string;
  readonly last_id: string;
  readonly has_more: boolean;
}

export function pageOf<T extends { readonly id: string }>(data: T[], hasMore: boolean): Page<T> {
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? '',
    last_id: data.at(-1)?.id ?? '',
    has_more: hasMore,
  };
}
