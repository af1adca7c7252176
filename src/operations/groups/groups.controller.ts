import { Body, Controller, Delete, Get, Param, Patch, Post } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { GroupRepository } from '../../access/group.repository.js';
import { HandOuts } from '../../access/hand-outs.js';
import { groupPrincipal } from '../../access/principal.js';
import type { Scope } from '../../auth/scope.js';
import { CurrentScope } from '../../http/current-scope.decorator.js';
import { SuccessDto } from '../../http/error.dto.js';
import { Route } from '../../http/route.decorator.js';
import {
  AddMembersRequest,
  CreateGroupRequest,
  GroupDto,
  GroupPath,
  MemberPath,
  RenameGroupRequest,
  toGroupDto,
} from './groups.dto.js';

const NO_GROUP = { 404: 'Group not found' };

/** Maximum number of members in an entry of the audit log. */
const SHOWN_MEMBERS = 20;

@ApiTags('tenants')
@Controller('groups')
export class GroupsController {
  constructor(
    private readonly groups: GroupRepository,
    private readonly handOuts: HandOuts,
  ) {}

  @Post()
  @Route({
    operationId: 'createGroup',
    permission: 'admin',
    summary: 'Create a group of end users',
    description: 'Access lists of documents and folders name it as `group:ID`.',
    audit: {
      action: 'group.create',
      subject: ({ body }) => [body['id'], ...[body['members'] ?? []].flat().slice(0, SHOWN_MEMBERS)],
    },
    errors: { 409: 'A group with this id exists' },
  })
  @ApiOkResponse({ type: GroupDto })
  async create(
    @CurrentScope() scope: Scope,
    @Body() { id, name, members }: CreateGroupRequest,
  ): Promise<GroupDto> {
    await this.handOuts.require(scope, groupPrincipal(id));
    return toGroupDto(await this.groups.create(scope, { id, name, members: members ?? [] }));
  }

  @Get()
  @Route({ operationId: 'listGroups', permission: 'admin', summary: 'List the groups of the tenant' })
  @ApiOkResponse({ type: [GroupDto] })
  async list(@CurrentScope() scope: Scope): Promise<GroupDto[]> {
    return (await this.groups.list(scope)).map(toGroupDto);
  }

  @Get(':group_id')
  @Route({ operationId: 'getGroup', permission: 'admin', summary: 'Get a group', errors: NO_GROUP })
  @ApiOkResponse({ type: GroupDto })
  async get(@CurrentScope() scope: Scope, @Param() { group_id: id }: GroupPath): Promise<GroupDto> {
    return toGroupDto(await this.groups.get(scope, id));
  }

  @Patch(':group_id')
  @Route({
    operationId: 'renameGroup',
    permission: 'admin',
    summary: 'Rename a group',
    description: 'Its id stays, and so do its members and what is shared with it.',
    audit: { action: 'group.rename', subject: ({ params }) => [params['group_id']] },
    errors: NO_GROUP,
  })
  @ApiOkResponse({ type: GroupDto })
  async rename(
    @CurrentScope() scope: Scope,
    @Param() { group_id: id }: GroupPath,
    @Body() { name }: RenameGroupRequest,
  ): Promise<GroupDto> {
    return toGroupDto(await this.groups.rename(scope, id, name));
  }

  @Delete(':group_id')
  @Route({
    operationId: 'deleteGroup',
    permission: 'admin',
    summary: 'Delete a group',
    description: 'Its members lose within a second what access lists gave them by the group.',
    audit: { action: 'group.delete', subject: ({ params }) => [params['group_id']] },
    errors: NO_GROUP,
  })
  @ApiOkResponse({ type: SuccessDto })
  async delete(@CurrentScope() scope: Scope, @Param() { group_id: id }: GroupPath): Promise<SuccessDto> {
    await this.groups.delete(scope, id);
    return { status: 'success', message: `Group ${id} deleted` };
  }

  @Post(':group_id/members')
  @Route({
    operationId: 'addGroupMembers',
    permission: 'admin',
    summary: 'Add end users to a group',
    description: 'Their keys act with the group within a second.',
    audit: {
      action: 'group.add',
      subject: ({ params, body }) => [
        params['group_id'],
        ...[body['members']].flat().slice(0, SHOWN_MEMBERS),
      ],
    },
    errors: NO_GROUP,
  })
  @ApiOkResponse({ type: GroupDto })
  async add(
    @CurrentScope() scope: Scope,
    @Param() { group_id: id }: GroupPath,
    @Body() { members }: AddMembersRequest,
  ): Promise<GroupDto> {
    await this.handOuts.require(scope, groupPrincipal(id));
    return toGroupDto(await this.groups.add(scope, id, members));
  }

  @Delete(':group_id/members/:member_id')
  @Route({
    operationId: 'removeGroupMember',
    permission: 'admin',
    summary: 'Remove an end user from a group',
    description: 'The keys of the end user act without the group within a second.',
    audit: { action: 'group.remove', subject: ({ params }) => [params['group_id'], params['member_id']] },
    errors: NO_GROUP,
  })
  @ApiOkResponse({ type: SuccessDto })
  async remove(
    @CurrentScope() scope: Scope,
    @Param() { group_id: id, member_id: member }: MemberPath,
  ): Promise<SuccessDto> {
    await this.groups.remove(scope, id, member);
    return { status: 'success', message: `${member} removed from group ${id}` };
  }
}
