import { Body, Controller, Delete, Get, Header, Param, Put, Query } from '@nestjs/common';
import { ApiOkResponse, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { Scope } from '../../auth/scope.js';
import { CurrentScope } from '../../http/current-scope.decorator.js';
import { SuccessDto } from '../../http/error.dto.js';
import { Route } from '../../http/route.decorator.js';
import { ChatOwnerQuery } from '../chat.dto.js';
import { OF_ONE_CHAT } from '../chat.service.js';
import { AnswerPath, FeedbackDto, FeedbackQuery, toFeedbackDto } from './feedback.dto.js';
import { FeedbackService } from './feedback.service.js';
import { RatingDto } from './rating.dto.js';

const LINES = 'application/x-ndjson';

@ApiTags('chats')
@Controller()
export class FeedbackController {
  constructor(private readonly feedback: FeedbackService) {}

  @Put('chat/:chat_id/messages/:message_index/feedback')
  @Route({
    operationId: 'rateAnswer',
    permission: 'query',
    token: 'feedback',
    summary: 'Rate an answer',
    description:
      'Replaces an earlier rating of the same answer. Administrators list feedback with GET /feedback.',
    errors: OF_ONE_CHAT,
  })
  @ApiOkResponse({ type: SuccessDto })
  async rate(
    @CurrentScope() scope: Scope,
    @Param() { chat_id, message_index }: AnswerPath,
    @Query() { end_user_id }: ChatOwnerQuery,
    @Body() rating: RatingDto,
  ): Promise<SuccessDto> {
    await this.feedback.rate(scope, chat_id, end_user_id, message_index, rating);
    return { status: 'success', message: 'Feedback stored' };
  }

  @Delete('chat/:chat_id/messages/:message_index/feedback')
  @Route({
    operationId: 'withdrawRating',
    permission: 'query',
    token: 'feedback',
    summary: 'Withdraw the rating of an answer',
    errors: OF_ONE_CHAT,
  })
  @ApiOkResponse({ type: SuccessDto })
  async withdraw(
    @CurrentScope() scope: Scope,
    @Param() { chat_id, message_index }: AnswerPath,
    @Query() { end_user_id }: ChatOwnerQuery,
  ): Promise<SuccessDto> {
    await this.feedback.withdraw(scope, chat_id, end_user_id, message_index);
    return { status: 'success', message: 'Feedback withdrawn' };
  }

  @Get('feedback')
  @Route({
    operationId: 'listFeedback',
    permission: 'admin',
    summary: 'List feedback on answers, newest first',
    description: "A key of an end user gets only the feedback on this end user's chats.",
  })
  @ApiOkResponse({ type: FeedbackDto, isArray: true })
  async list(
    @CurrentScope() scope: Scope,
    @Query() { rating, end_user_id, skip, limit }: FeedbackQuery,
  ): Promise<FeedbackDto[]> {
    const given = await this.feedback.list(scope, { rating, endUserId: end_user_id, skip, limit });
    return given.map(toFeedbackDto);
  }

  @Get('feedback/questions')
  @Route({
    operationId: 'exportGoodQuestions',
    permission: 'admin',
    summary: 'Export questions with good answers for an evaluation',
    description:
      'One JSON object per line, in the format of `lectern eval`: the question, and the first citation of the answer as the expected result. Omits answers without citations. A key of an end user gets only questions of this end user.',
  })
  @Header('content-type', `${LINES}; charset=utf-8`)
  @ApiProduces(LINES)
  @ApiOkResponse({ schema: { type: 'string' } })
  questions(@CurrentScope() scope: Scope): Promise<string> {
    return this.feedback.questions(scope);
  }
}
