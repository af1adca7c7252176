import { Body, Controller, Delete, Get, Inject, Param, Patch, Query } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { TalkChoice } from '../access/talk.js';
import type { Scope } from '../auth/scope.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { CurrentScope } from '../http/current-scope.decorator.js';
import { Route } from '../http/route.decorator.js';
import { SuccessDto } from '../http/error.dto.js';
import {
  changeIn,
  ChatChangeDto,
  ChatChoiceQuery,
  ChatDto,
  ChatListQuery,
  ChatMessageDto,
  ChatPath,
  ChatTitleDto,
  ChatTitleQuery,
  ChatVersionDto,
  selectionIn,
  titleOf,
  toChatDto,
  toChatMessageDto,
  toChatVersionDto,
} from './chat.dto.js';
import { ChatService, OF_ONE_CHAT } from './chat.service.js';

const WHOSE =
  'A key of an end user lists the chats of this end user. Other keys list the chats of `end_user_id`. Without `end_user_id`, a key of an administrator lists all chats of the tenant, and any other key lists the chats that it began without an end user.';

@ApiTags('chats')
@Controller()
export class ChatController {
  constructor(
    private readonly chats: ChatService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Get('chats')
  @Route({
    operationId: 'listChats',
    permission: 'query',
    token: 'chats',
    summary: 'List chats: pinned ones first, then the newest',
    description: WHOSE,
  })
  @ApiOkResponse({ type: ChatDto, isArray: true })
  async list(@CurrentScope() scope: Scope, @Query() query: ChatListQuery): Promise<ChatDto[]> {
    return (await this.chats.list(scope, selectionIn(query))).map(toChatDto);
  }

  @Get('chat/:chat_id')
  @Route({
    operationId: 'listChatMessages',
    permission: 'query',
    token: 'chats',
    summary: 'List the messages of a chat',
    errors: OF_ONE_CHAT,
  })
  @ApiOkResponse({ type: ChatMessageDto, isArray: true })
  async messages(
    @CurrentScope() scope: Scope,
    @Param() { chat_id }: ChatPath,
    @Query() query: ChatChoiceQuery,
  ): Promise<ChatMessageDto[]> {
    return (await this.chats.turns(scope, chat_id, choiceIn(query))).map(toChatMessageDto);
  }

  @Get('chat/:chat_id/versions')
  @Route({
    operationId: 'listChatVersions',
    permission: 'query',
    token: 'chats',
    summary: 'List the replaced messages of a chat',
    description:
      'What `replace_from` of a question replaced, oldest first. A chat keeps the last 20 replacements.',
    errors: OF_ONE_CHAT,
  })
  @ApiOkResponse({ type: ChatVersionDto, isArray: true })
  async versions(
    @CurrentScope() scope: Scope,
    @Param() { chat_id }: ChatPath,
    @Query() query: ChatChoiceQuery,
  ): Promise<ChatVersionDto[]> {
    return (await this.chats.versions(scope, chat_id, choiceIn(query))).map(toChatVersionDto);
  }

  @Patch('chats/:chat_id/title')
  @Route({
    operationId: 'renameChat',
    permission: 'query',
    token: 'chats',
    summary: 'Rename a chat',
    errors: OF_ONE_CHAT,
  })
  @ApiBody({ type: ChatTitleDto, required: false })
  @ApiOkResponse({ type: SuccessDto })
  async rename(
    @CurrentScope() scope: Scope,
    @Param() { chat_id }: ChatPath,
    @Query() query: ChatTitleQuery,
    @Body() body: unknown,
  ): Promise<SuccessDto> {
    const title = titleOf(query, body, this.settings);
    await this.chats.change(scope, chat_id, choiceIn(query), { title });
    return { status: 'success', message: 'Chat renamed' };
  }

  @Patch('chats/:chat_id')
  @Route({
    operationId: 'changeChat',
    permission: 'query',
    token: 'chats',
    summary: 'Rename a chat, pin it, or put it into a folder',
    errors: OF_ONE_CHAT,
  })
  @ApiOkResponse({ type: SuccessDto })
  async change(
    @CurrentScope() scope: Scope,
    @Param() { chat_id }: ChatPath,
    @Query() query: ChatChoiceQuery,
    @Body() body: ChatChangeDto,
  ): Promise<SuccessDto> {
    await this.chats.change(scope, chat_id, choiceIn(query), changeIn(body));
    return { status: 'success', message: 'Chat changed' };
  }

  @Delete('chats/:chat_id')
  @Route({
    operationId: 'deleteChat',
    permission: 'query',
    token: 'chats',
    summary: 'Delete a chat and its messages',
    audit: { action: 'chat.delete', subject: ({ params }) => [params['chat_id']] },
    errors: OF_ONE_CHAT,
  })
  @ApiOkResponse({ type: SuccessDto })
  async delete(
    @CurrentScope() scope: Scope,
    @Param() { chat_id }: ChatPath,
    @Query() query: ChatChoiceQuery,
  ): Promise<SuccessDto> {
    await this.chats.delete(scope, chat_id, choiceIn(query));
    return { status: 'success', message: 'Chat deleted' };
  }
}

function choiceIn({ end_user_id: endUserId, own }: Pick<ChatChoiceQuery, 'end_user_id' | 'own'>): TalkChoice {
  return { endUserId, own };
}
