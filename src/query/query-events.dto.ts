import { ApiExtraModels, ApiProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import { CompletionSourceDto } from '../chats/evidence.dto.js';
import { eventUnion } from '../http/event-union.js';
import { CompletionDto } from './query-response.dto.js';

const typed = (type: string): PropertyDecorator => ApiProperty({ enum: [type], description: 'Which event.' });

/** The first event, if the request has `stream_sources`. */
export class SourcesEventDto {
  @typed('sources')
  type: 'sources';

  @ApiProperty({ type: [CompletionSourceDto], description: 'All chunks in the prompt, in order.' })
  sources: CompletionSourceDto[];
}

/** A piece of the answer. */
export class AssistantEventDto {
  @typed('assistant')
  type: 'assistant';

  @ApiProperty({ description: 'The next characters of the completion.', example: 'Hold the ' })
  content: string;

  @ApiPropertyOptional({
    type: 'boolean',
    description: 'true: the piece is part of a refusal. Otherwise absent.',
  })
  refused?: true;
}

/** The last event of a complete answer. */
export class DoneEventDto extends OmitType(CompletionDto, ['completion']) {
  @typed('done')
  type: 'done';

  @ApiPropertyOptional({
    oneOf: [{ type: 'string' }, { type: 'object', additionalProperties: true }],
    description:
      'The completion, if it differs from the pieces together, for example the object of a `schema`.',
  })
  completion?: unknown;
}

/** The last event of an answer with an `answer_id` that was stopped. */
export class StoppedEventDto {
  @typed('stopped')
  type: 'stopped';

  @ApiPropertyOptional({
    type: 'integer',
    description: 'Index of the answer in its chat, which keeps the text so far. Absent: nothing was stored.',
  })
  message_index?: number;

  @ApiPropertyOptional({ type: 'integer', description: 'Revision of the chat since this answer.' })
  chat_revision?: number;
}

/** The last event of an answer that failed. */
export class ErrorEventDto {
  @typed('error')
  type: 'error';

  @ApiProperty({ description: 'What failed.', example: 'The provider of gpt-4o-mini could not be reached' })
  detail: string;

  @ApiProperty({
    type: 'integer',
    description: 'The status of the same failure without a stream.',
    example: 502,
  })
  status: number;
}

const MODELS = {
  sources: SourcesEventDto,
  assistant: AssistantEventDto,
  done: DoneEventDto,
  stopped: StoppedEventDto,
  error: ErrorEventDto,
};

export const COMPLETION_EVENT = eventUnion(MODELS);

export const ApiCompletionEvents = (): MethodDecorator & ClassDecorator =>
  ApiExtraModels(...Object.values(MODELS));
