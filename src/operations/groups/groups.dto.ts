import { ApiProperty } from '@nestjs/swagger';
import type { Group } from '../../access/group.repository.js';
import { MAX_ID_LENGTH } from '../../access/principal.js';
import { Invalid, type Location } from '../../errors/index.js';
import { Examples } from '../../http/input/examples.js';
import { TextField, TextListField } from '../../http/input/fields.js';
import { eachOf, text } from '../../http/input/parse.js';

const MAX_MEMBERS = 1_000;

function person(value: unknown, loc: Location): string {
  const id = text(value, loc);
  if (typeof id !== 'string' || id === '')
    throw Invalid.at(loc, 'Value error, a member is the id of an end user');
  if (id.length > MAX_ID_LENGTH) {
    throw Invalid.at(loc, `Value error, the id of an end user has at most ${MAX_ID_LENGTH} characters`);
  }
  return id;
}

@Examples({ 'A group with two members': { id: 'sales', name: 'Sales', members: ['ann', 'bert'] } })
export class CreateGroupRequest {
  @TextField({
    required: true,
    notBlank: true,
    maxLength: MAX_ID_LENGTH,
    description: 'Id of the group, as in `group:ID`.',
    example: 'sales',
  })
  id: string;

  @TextField({ nullable: true, maxLength: MAX_ID_LENGTH, description: 'Name.', example: 'Sales' })
  name: string | null = null;

  @TextListField({
    nullable: true,
    maxSize: MAX_MEMBERS,
    parse: eachOf(person),
    description: `End users, at most ${MAX_MEMBERS}. They need not have a key yet.`,
    example: ['ann'],
  })
  members: string[] | null = null;
}

@Examples({ 'Another name': { name: 'Sales and service' } })
export class RenameGroupRequest {
  @TextField({
    required: true,
    nullable: true,
    notBlank: true,
    maxLength: MAX_ID_LENGTH,
    description: 'New name. null: the id is shown instead.',
    example: 'Sales and service',
  })
  name: string | null;
}

export class GroupPath {
  @TextField({
    required: true,
    maxLength: MAX_ID_LENGTH,
    description: 'Id of the group, as listed by GET /groups.',
    example: 'sales',
  })
  group_id: string;
}

export class MemberPath extends GroupPath {
  @TextField({ required: true, maxLength: MAX_ID_LENGTH, description: 'The end user.', example: 'ann' })
  member_id: string;
}

@Examples({ 'One person': { members: ['ann'] } })
export class AddMembersRequest {
  @TextListField({
    required: true,
    maxSize: MAX_MEMBERS,
    parse: eachOf(person),
    description: `End users, at most ${MAX_MEMBERS}. They need not have a key yet.`,
    example: ['ann'],
  })
  members: string[];
}

export class GroupDto {
  @ApiProperty({ description: 'Id of the group, as in `group:ID`.', example: 'sales' })
  id: string;

  @ApiProperty({ type: 'string', nullable: true, description: 'Name.', example: 'Sales' })
  name: string | null;

  @ApiProperty({ type: [String], description: 'End users in the group.', example: ['ann'] })
  members: string[];

  @ApiProperty({
    type: 'string',
    nullable: true,
    format: 'date-time',
    description: 'Creation time; null for a group that the identity provider names.',
    example: '2026-01-31T12:00:00.000Z',
  })
  created_at: string | null;

  @ApiProperty({
    description:
      'Whether only the identity provider names the group. Its members are people who signed in with it, and it is changed at the provider.',
    example: false,
  })
  provided: boolean;
}

export function toGroupDto({ id, name, members, createdAt }: Group): GroupDto {
  return {
    id,
    name,
    members: [...members],
    created_at: createdAt?.toISOString() ?? null,
    provided: createdAt === null,
  };
}
