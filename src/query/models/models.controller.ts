import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiProperty, ApiTags } from '@nestjs/swagger';
import { Route } from '../../http/route.decorator.js';
import { ModelListService, type OfferedModel } from './model-list.service.js';

export class ChatModelDto {
  @ApiProperty({ description: 'As llm_config.model names it.', example: 'openai/gpt-4o-mini' })
  id: string;

  @ApiProperty({ description: 'Name as the provider knows it.', example: 'gpt-4o-mini' })
  model: string;

  @ApiProperty({ description: 'Its provider.', example: 'openai' })
  provider: string;

  @ApiProperty({ description: 'Whether it reads images.', example: true })
  vision: boolean;

  @ApiProperty({ type: 'integer', description: 'Tokens that it reads.', example: 128000 })
  context_window: number;
}

export class EmbeddingModelDto {
  @ApiProperty({ description: 'As EMBEDDING_MODEL names it.', example: 'local' })
  id: string;
}

export class DefaultModelsDto {
  @ApiProperty({ description: 'The configured completion model.', example: 'extractive' })
  chat: string;

  @ApiProperty({ description: 'The configured embedding model.', example: 'local' })
  embedding: string;
}

/** Known models. Addresses and keys are not part of it. */
export class ModelsDto {
  @ApiProperty({ type: [ChatModelDto], description: 'Completion models that need no key of the caller.' })
  chat_models: ChatModelDto[];

  @ApiProperty({ type: [EmbeddingModelDto], description: 'Embedding models.' })
  embedding_models: EmbeddingModelDto[];

  @ApiProperty({ type: DefaultModelsDto, description: 'What is used when a request names no model.' })
  default_models: DefaultModelsDto;
}

function toChatModelDto({ id, model }: OfferedModel): ChatModelDto {
  const { name, provider, vision, contextWindow } = model;
  return { id, model: name, provider, vision, context_window: contextWindow };
}

@ApiTags('models')
@Controller('models')
export class ModelsController {
  constructor(private readonly models: ModelListService) {}

  @Get()
  @Route({ permission: ['read', 'query'], summary: 'Known models, without addresses and keys' })
  @ApiOkResponse({ type: ModelsDto })
  list(): ModelsDto {
    const { completion, configured, embedding } = this.models;
    return {
      chat_models: completion.map(toChatModelDto),
      embedding_models: [{ id: embedding }],
      default_models: { chat: configured.id, embedding },
    };
  }
}
