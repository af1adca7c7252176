import { Body, Controller, Delete, Get, Inject, Param, Post } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Scope } from '../../auth/scope.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { CurrentScope } from '../../http/current-scope.decorator.js';
import { SuccessDto } from '../../http/error.dto.js';
import { readInput } from '../../http/input/input.pipe.js';
import { PublicUrl } from '../../http/links.js';
import { Route } from '../../http/route.decorator.js';
import { ChatPath, toChatLinkDto } from '../chat.dto.js';
import { OF_ONE_CHAT } from '../chat.service.js';
import {
  ChatSharingDto,
  ShareChatDto,
  SharedChatDto,
  SharedChatLinkDto,
  SharedChatPath,
  toSharedChatDto,
} from './chat-link.dto.js';
import { ChatLinkService, NO_SHARED_CHAT } from './chat-link.service.js';

@ApiTags('chats')
@Controller()
export class ChatLinkController {
  constructor(
    private readonly links: ChatLinkService,
    private readonly publicUrl: PublicUrl,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Post('chats/:chat_id/link')
  @Route({
    operationId: 'shareChat',
    permission: 'query',
    summary: 'Make a link to a chat',
    description:
      'For the chat that the key would continue. Whoever has a key of the tenant reads the chat by the link, as it is then, and gets each answer only if the key may read all of its sources and they still have the text and the names of then. A link that was made before ends.',
    audit: {
      action: 'chat.share',
      subject: ({ params, body }) => [params['chat_id'], body['expires_in'] ?? undefined],
    },
    errors: { 404: OF_ONE_CHAT[404] },
  })
  @ApiBody({ type: ShareChatDto, required: false })
  @ApiOkResponse({ type: SharedChatLinkDto })
  async make(
    @CurrentScope() scope: Scope,
    @Param() { chat_id }: ChatPath,
    @Body() body: unknown,
  ): Promise<SharedChatLinkDto> {
    const { expires_in } = readInput(ShareChatDto, body ?? {}, ['body'], this.settings);
    const link = await this.links.make(scope, chat_id, expires_in);
    return Object.assign(toChatLinkDto(link), { url: this.publicUrl.of(`/#/shared/${link.linkId}`) });
  }

  @Get('chats/:chat_id/link')
  @Route({
    operationId: 'getChatLink',
    permission: 'query',
    summary: 'Read the link to a chat',
    description:
      'For the chat that the key would continue, with or without a link. It tells how many answers are withheld from readers whom no access list names.',
    errors: { 404: OF_ONE_CHAT[404] },
  })
  @ApiOkResponse({ type: ChatSharingDto })
  async sharing(@CurrentScope() scope: Scope, @Param() { chat_id }: ChatPath): Promise<ChatSharingDto> {
    const { link, answers, withheld, hidden } = await this.links.sharing(scope, chat_id);
    return {
      link: link === null ? null : toChatLinkDto(link),
      answer_count: answers,
      withheld_count: withheld,
      hidden_documents: hidden.map(({ document_id, filename }) => ({ document_id, filename })),
    };
  }

  @Delete('chats/:chat_id/link')
  @Route({
    operationId: 'unshareChat',
    permission: 'query',
    summary: 'End the link to a chat',
    description: 'Does nothing if the chat has no link.',
    audit: { action: 'chat.unshare', subject: ({ params }) => [params['chat_id']] },
    errors: { 404: OF_ONE_CHAT[404] },
  })
  @ApiOkResponse({ type: SuccessDto })
  async end(@CurrentScope() scope: Scope, @Param() { chat_id }: ChatPath): Promise<SuccessDto> {
    await this.links.end(scope, chat_id);
    return { status: 'success', message: 'Link ended' };
  }

  @Get('shared_chats/:link_id')
  @Route({
    operationId: 'getSharedChat',
    permission: 'query',
    summary: 'Read a chat by its link',
    description:
      'An answer is withheld unless the key may read all of its sources, and those of the answers that its model read before. A source whose text, headings or file name have changed since the answer counts as one that nobody may read.',
    errors: { 404: NO_SHARED_CHAT },
  })
  @ApiOkResponse({ type: SharedChatDto })
  async read(@CurrentScope() scope: Scope, @Param() { link_id }: SharedChatPath): Promise<SharedChatDto> {
    const { chat, turns } = await this.links.read(scope, link_id);
    return toSharedChatDto(chat, turns);
  }
}
