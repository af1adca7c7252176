import { ApiProperty } from '@nestjs/swagger';
import { type CreationWindow, type Position, positionOfId } from '../corpus/vector-stores/creation-window.js';
import { ChoiceField, IntegerField, TextField } from '../http/input/fields.js';
import { type Kind, unknownCursor, uuidIn } from './ids.js';

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

/** Where the objects of a list stand. */
export interface Places {
  /** null: the list does not contain the object. */
  present(id: string): Promise<Position | null>;
  /** The place of an object that was deleted; null: the list never contained it. */
  former(id: string): Promise<Position | null>;
}

/**
 * Returns the window that a query selects. Each list goes on behind an object that was deleted meanwhile, because a
 * client may delete what it lists.
 * @throws Invalid for a cursor that the list never contained.
 */
export async function windowIn(
  { limit, order, after, before = null }: Omit<CursorQuery, 'before'> & { readonly before?: string | null },
  places: Places,
): Promise<CreationWindow> {
  const placeOf = async (name: 'after' | 'before', id: string | null): Promise<Position | null> => {
    if (id === null) return null;
    const place = (await places.present(id)) ?? (await places.former(id));
    if (place === null) throw unknownCursor(['query', name], id);
    return place;
  };
  return { limit, order, after: await placeOf('after', after), before: await placeOf('before', before) };
}

/** Places of objects whose creation time is that of their id. */
export function placesById(kind: Kind, find: (uuid: string) => Promise<Position | null>): Places {
  return {
    async present(id) {
      const uuid = uuidIn(kind, id);
      return uuid === undefined ? null : find(uuid);
    },
    former(id) {
      return Promise.resolve(positionOfId(uuidIn(kind, id) ?? ''));
    },
  };
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
