import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Route } from '../../http/route.decorator.js';
import { ModelListService } from './model-list.service.js';
import { ModelsDto, toChatModelDto } from './models.dto.js';

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
