import { ApiProperty } from '@nestjs/swagger';
import { Invalid } from '../../errors/index.js';
import { Examples } from '../../http/input/examples.js';
import { Field } from '../../http/input/fields.js';
import type { Parse } from '../../http/input/input.pipe.js';
import { METADATA_SCHEMA, MetadataField } from '../attributes.js';
import { CursorListDto } from '../cursor-list.js';
import { secondsOf } from '../files/file.dto.js';
import { idOf } from '../ids.js';
import { givenItems } from '../responses/input.js';
import type { GivenItem, Item } from '../responses/items.js';
import { EndUserQuery } from '../responses/response.dto.js';
import type { ConversationRow } from './conversation.repository.js';

const ID = 'conv_0199f1c2a4d87e0b9c3d5e6f7a8b9c0d';

const MAX_ITEMS = 20;

const EXAMPLE = [{ type: 'message', role: 'user', content: 'When is the keeper relieved?' }];

const ANY_OBJECT = { type: 'object', additionalProperties: true } as const;

const items: Parse = (value, loc, settings) => {
  if (Array.isArray(value) && value.length > MAX_ITEMS) {
    throw Invalid.at(loc, `Value error, at most ${MAX_ITEMS} items are allowed, got ${value.length}`);
  }
  return givenItems(value, loc, settings);
};

function ItemsField(required: boolean): PropertyDecorator {
  return Field(
    {
      description: `At most ${MAX_ITEMS} items: messages, function calls and their outputs, references.`,
      example: EXAMPLE,
      ...(required ? { required } : { nullable: true }),
      parse: items,
    },
    { type: 'array', items: { type: 'object' }, maxItems: MAX_ITEMS },
  );
}

@Examples({ 'With a first message': { metadata: { customer: 'acme' }, items: EXAMPLE } })
export class CreateConversationDto extends EndUserQuery {
  @ItemsField(false)
  items: readonly GivenItem[] | null = null;

  @MetadataField()
  metadata: Readonly<Record<string, string>> | null = null;
}

@Examples({ 'Other metadata': { metadata: { customer: 'acme', topic: 'harbour' } } })
export class UpdateConversationDto extends EndUserQuery {
  @MetadataField({ required: true })
  metadata: Readonly<Record<string, string>> | null;
}

@Examples({ 'A message': { items: EXAMPLE } })
export class CreateItemsDto extends EndUserQuery {
  @ItemsField(true)
  items: readonly GivenItem[];
}

export class ConversationDto {
  @ApiProperty({ description: 'Id.', example: ID })
  id: string;

  @ApiProperty({ type: 'string', enum: ['conversation'], description: 'Object type.' })
  object: 'conversation';

  @ApiProperty({ type: 'integer', description: 'Creation time, in seconds since 1970.' })
  created_at: number;

  @ApiProperty({ ...METADATA_SCHEMA, description: 'Metadata.' })
  metadata: Readonly<Record<string, string>>;
}

export class DeletedConversationDto {
  @ApiProperty({ description: 'Conversation id.', example: ID })
  id: string;

  @ApiProperty({ type: 'string', enum: ['conversation.deleted'], description: 'Object type.' })
  object: 'conversation.deleted';

  @ApiProperty({ description: 'Whether it was deleted.', example: true })
  deleted: boolean;
}

export class ConversationItemListDto extends CursorListDto {
  @ApiProperty({ type: 'array', items: ANY_OBJECT, description: 'Items.' })
  data: Item[];
}

export function toConversationDto({ id, metadata, createdAt }: ConversationRow): ConversationDto {
  return { id: idOf('conversation', id), object: 'conversation', created_at: secondsOf(createdAt), metadata };
}
