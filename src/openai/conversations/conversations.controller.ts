import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Scope } from '../../auth/scope.js';
import { CurrentScope } from '../../http/current-scope.decorator.js';
import { Route } from '../../http/route.decorator.js';
import { pageOf } from '../cursor-list.js';
import { PathIds } from '../path-ids.js';
import type { Item } from '../responses/items.js';
import { EndUserQuery, ItemsQuery } from '../responses/response.dto.js';
import {
  ConversationDto,
  ConversationItemListDto,
  CreateConversationDto,
  CreateItemsDto,
  DeletedConversationDto,
  toConversationDto,
  UpdateConversationDto,
} from './conversation.dto.js';
import { ConversationService } from './conversation.service.js';

const NO_CONVERSATION = { 404: 'No conversation has the id "conv_0199f1c2a4d87e0b9c3d5e6f7a8b9c0d"' };

const ItemParam = (): MethodDecorator => ApiParam({ name: 'item_id', description: 'Item id.' });

/** The Conversations API of the OpenAI protocol. */
@ApiTags('models')
@Controller('v1/conversations')
export class ConversationsController {
  constructor(private readonly service: ConversationService) {}

  @Post()
  @Route({
    operationId: 'createConversation',
    permission: 'query',
    summary: 'Create a conversation',
    description:
      'A POST /v1/responses with this `conversation` continues it, and appends its input and output items.',
    carriesDocument: true,
  })
  @ApiOkResponse({ type: ConversationDto })
  async create(@CurrentScope() scope: Scope, @Body() body: CreateConversationDto): Promise<ConversationDto> {
    return toConversationDto(await this.service.create(scope, body));
  }

  @Get(':conversation_id')
  @Route({
    operationId: 'getConversation',
    permission: 'query',
    summary: 'Get a conversation',
    errors: NO_CONVERSATION,
  })
  @PathIds('conversation')
  @ApiOkResponse({ type: ConversationDto })
  async get(
    @CurrentScope() scope: Scope,
    @Param('conversation_id') id: string,
    @Query() { end_user_id: endUserId }: EndUserQuery,
  ): Promise<ConversationDto> {
    return toConversationDto(await this.service.get(scope, id, endUserId));
  }

  @Post(':conversation_id')
  @Route({
    operationId: 'updateConversation',
    permission: 'query',
    summary: 'Replace the metadata of a conversation',
    errors: NO_CONVERSATION,
  })
  @PathIds('conversation')
  @ApiOkResponse({ type: ConversationDto })
  async update(
    @CurrentScope() scope: Scope,
    @Param('conversation_id') id: string,
    @Body() body: UpdateConversationDto,
  ): Promise<ConversationDto> {
    return toConversationDto(await this.service.update(scope, id, body));
  }

  @Delete(':conversation_id')
  @Route({
    operationId: 'deleteConversation',
    permission: 'query',
    summary: 'Delete a conversation with its items',
    audit: { action: 'conversation.delete', subject: ({ params }) => [params['conversation_id']] },
    description: 'Keeps the stored responses of the conversation.',
    errors: NO_CONVERSATION,
  })
  @PathIds('conversation')
  @ApiOkResponse({ type: DeletedConversationDto })
  async delete(
    @CurrentScope() scope: Scope,
    @Param('conversation_id') id: string,
    @Query() { end_user_id: endUserId }: EndUserQuery,
  ): Promise<DeletedConversationDto> {
    await this.service.delete(scope, id, endUserId);
    return { id, object: 'conversation.deleted', deleted: true };
  }

  @Post(':conversation_id/items')
  @Route({
    operationId: 'createConversationItems',
    permission: 'query',
    summary: 'Append items to a conversation',
    carriesDocument: true,
    errors: NO_CONVERSATION,
  })
  @PathIds('conversation')
  @ApiOkResponse({ type: ConversationItemListDto })
  async createItems(
    @CurrentScope() scope: Scope,
    @Param('conversation_id') id: string,
    @Body() body: CreateItemsDto,
  ): Promise<ConversationItemListDto> {
    return pageOf(await this.service.addItems(scope, id, body), false);
  }

  @Get(':conversation_id/items')
  @Route({
    operationId: 'listConversationItems',
    permission: 'query',
    summary: 'List the items of a conversation',
    errors: NO_CONVERSATION,
  })
  @PathIds('conversation')
  @ApiOkResponse({ type: ConversationItemListDto })
  async items(
    @CurrentScope() scope: Scope,
    @Param('conversation_id') id: string,
    @Query() query: ItemsQuery,
  ): Promise<ConversationItemListDto> {
    const { rows, hasMore } = await this.service.items(scope, id, query);
    return pageOf(rows, hasMore);
  }

  @Get(':conversation_id/items/:item_id')
  @Route({
    operationId: 'getConversationItem',
    permission: 'query',
    summary: 'Get an item of a conversation',
    errors: NO_CONVERSATION,
  })
  @PathIds('conversation')
  @ItemParam()
  @ApiOkResponse({ schema: { type: 'object', additionalProperties: true } })
  item(
    @CurrentScope() scope: Scope,
    @Param('conversation_id') id: string,
    @Param('item_id') itemId: string,
    @Query() { end_user_id: endUserId }: EndUserQuery,
  ): Promise<Item> {
    return this.service.item(scope, id, itemId, endUserId);
  }

  @Delete(':conversation_id/items/:item_id')
  @Route({
    operationId: 'deleteConversationItem',
    permission: 'query',
    summary: 'Delete an item of a conversation',
    audit: {
      action: 'conversation.delete_item',
      subject: ({ params }) => [params['conversation_id'], params['item_id']],
    },
    errors: NO_CONVERSATION,
  })
  @PathIds('conversation')
  @ItemParam()
  @ApiOkResponse({ type: ConversationDto, description: 'The conversation.' })
  async deleteItem(
    @CurrentScope() scope: Scope,
    @Param('conversation_id') id: string,
    @Param('item_id') itemId: string,
    @Query() { end_user_id: endUserId }: EndUserQuery,
  ): Promise<ConversationDto> {
    return toConversationDto(await this.service.deleteItem(scope, id, itemId, endUserId));
  }
}
