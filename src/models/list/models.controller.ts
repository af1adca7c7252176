import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiProperty, ApiTags } from '@nestjs/swagger';
import { Route } from '../../http/route.decorator.js';
import { ModelListService, type OfferedModel } from './model-list.service.js';

export class ChatModelDto {
  @ApiProperty({ description: 'Value for llm_config.model.', example: 'openai/gpt-4o-mini' })
  id: string;

  @ApiProperty({ description: 'Name at the provider.', example: 'gpt-4o-mini' })
  model: string;

  @ApiProperty({ description: 'Provider.', example: 'openai' })
  provider: string;

  @ApiProperty({ description: 'Whether the model accepts images.', example: true })
  vision: boolean;

  @ApiProperty({ type: 'integer', description: 'Context window in tokens.', example: 128000 })
  context_window: number;
}

export class EmbeddingModelDto {
  @ApiProperty({ description: 'Value of EMBEDDING_MODEL.', example: 'local' })
  id: string;
}

export class DefaultModelsDto {
  @ApiProperty({ description: 'The configured completion model.', example: 'extractive' })
  chat: string;

  @ApiProperty({ description: 'The configured embedding model.', example: 'local' })
  embedding: string;
}

/** The models in use, without their addresses and keys. */
export class ModelsDto {
  @ApiProperty({ type: [ChatModelDto], description: "Completion models that need no key of the caller." })
  chat_models: ChatModelDto[];

  @ApiProperty({ type: [EmbeddingModelDto], description: 'Embedding models.' })
  embedding_models: EmbeddingModelDto[];

  @ApiProperty({ type: DefaultModelsDto, description: 'Default models.' })
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
  @Route({ operationId: 'listModels', permission: ['read', 'query'], summary: 'List models' })
  @ApiOkResponse({ type: ModelsDto })
  async list(): Promise<ModelsDto> {
    const { embedding } = this.models;
    const { all, configured } = await this.models.completion();
    return {
      chat_models: all.map(toChatModelDto),
      embedding_models: [{ id: embedding }],
      default_models: { chat: configured.id, embedding },
    };
  }
}
