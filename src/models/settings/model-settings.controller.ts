import { Body, Controller, Delete, Get, Post, Put } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Scope } from '../../auth/scope.js';
import { CurrentScope } from '../../http/current-scope.decorator.js';
import { Route } from '../../http/route.decorator.js';
import type { ModelInUse } from '../llm/configured-model.js';
import { modelId } from '../llm/language-model.js';
import type { RuntimeModel } from '../llm/runtime-model.repository.js';
import {
  ConnectModelDto,
  ListModelsDto,
  ModelSettingsDto,
  ModelTestDto,
  ProviderModelsDto,
  TestModelDto,
} from './model-settings.dto.js';
import { ModelSettingsService } from './model-settings.service.js';

const OPERATOR = 'Needs an admin key of the default tenant.';
const OFF = { 403: 'The model is set by LLM_MODEL only: RUNTIME_SETTINGS=false' };

/** The language model of the installation. */
@ApiTags('operations')
@Controller('settings/model')
export class ModelSettingsController {
  constructor(private readonly service: ModelSettingsService) {}

  @Get()
  @Route({
    operationId: 'getModelSettings',
    permission: 'admin',
    summary: 'Get the language model in use',
    description: `${OPERATOR} The key is never returned.`,
    errors: {
      403: 'Only an admin key of the default tenant may see and change the model of the installation',
    },
  })
  @ApiOkResponse({ type: ModelSettingsDto })
  async show(@CurrentScope() scope: Scope): Promise<ModelSettingsDto> {
    return this.described(await this.service.inUse(scope));
  }

  @Put()
  @Route({
    operationId: 'connectModel',
    permission: 'admin',
    summary: 'Connect a language model',
    audit: { action: 'model.connect', subject: ({ body }) => modelIn(body) },
    description: `${OPERATOR} All processes use it within seconds, without a restart. The key is stored encrypted.`,
    errors: OFF,
  })
  @ApiOkResponse({ type: ModelSettingsDto })
  async connect(@CurrentScope() scope: Scope, @Body() body: ConnectModelDto): Promise<ModelSettingsDto> {
    return this.described(await this.service.connect(scope, givenModel(body, body.model)));
  }

  @Delete()
  @Route({
    operationId: 'disconnectModel',
    permission: 'admin',
    summary: 'Return to the language model of the environment',
    audit: { action: 'model.disconnect', subject: ({ answer }) => [answer['model']] },
    description: `${OPERATOR} Deletes the stored model and its key.`,
    errors: OFF,
  })
  @ApiOkResponse({ type: ModelSettingsDto })
  async disconnect(@CurrentScope() scope: Scope): Promise<ModelSettingsDto> {
    return this.described(await this.service.disconnect(scope));
  }

  @Post('test')
  @Route({
    operationId: 'testModel',
    permission: 'admin',
    summary: 'Test a language model',
    audit: { action: 'model.test', subject: ({ body }) => modelIn(body) },
    description: `${OPERATOR} Waits for the first token of an answer. If the model fails, the response is a 200 with \`ok: false\`.`,
    errors: OFF,
  })
  @ApiOkResponse({ type: ModelTestDto })
  async test(@CurrentScope() scope: Scope, @Body() body: TestModelDto): Promise<ModelTestDto> {
    const given = body.model === null ? null : givenModel(body, body.model);
    const { isOk, message, durationMs, contextWindow } = await this.service.test(scope, given);
    return { ok: isOk, message, duration_ms: durationMs, context_window: contextWindow };
  }

  @Post('list')
  @Route({
    operationId: 'listProviderModels',
    permission: 'admin',
    summary: 'List the models of a provider',
    audit: { action: 'model.list', subject: ({ body }) => modelIn(body) },
    description: `${OPERATOR} Asks the provider (\`GET {api_base}/models\`). If it does not answer with a list, the response is a 200 with \`ok: false\`.`,
    errors: OFF,
  })
  @ApiOkResponse({ type: ProviderModelsDto })
  async list(@CurrentScope() scope: Scope, @Body() body: ListModelsDto): Promise<ProviderModelsDto> {
    const { isOk, message, provider, models } = await this.service.list(
      scope,
      { apiBase: body.api_base, apiKey: body.api_key, contextWindow: null },
      body.model?.trim() ?? null,
    );
    return {
      ok: isOk,
      message,
      models: models.map(({ name, contextWindow }) => ({
        model: `${provider}/${name}`,
        name,
        context_window: contextWindow,
      })),
    };
  }

  private described({ settings, model, source, savedAt, problem }: ModelInUse): ModelSettingsDto {
    const { apiKey, apiBase, contextWindow } = settings;
    return {
      model: modelId(model),
      api_base: apiBase === null ? null : withoutCredentials(apiBase),
      has_key: apiKey !== null,
      key_end: endOf(apiKey),
      context_window: contextWindow,
      source,
      saved_at: savedAt?.toISOString() ?? null,
      problem,
      environment_model: modelId(this.service.environment.model),
      changeable: this.service.isChangeable,
    };
  }
}

function givenModel(
  { api_base, api_key, context_window }: Omit<ConnectModelDto, 'model'>,
  model: string,
): RuntimeModel {
  return { model: model.trim(), apiBase: api_base, apiKey: api_key, contextWindow: context_window };
}

/** The model of a request and the address of its service, for the audit log, without what may be a secret. */
function modelIn({ model, api_base: base }: Readonly<Record<string, unknown>>): readonly unknown[] {
  if (typeof base !== 'string') return [model];
  if (!URL.canParse(base)) return [model, 'address=invalid'];
  const { origin, pathname } = new URL(base);
  return [model, `address=${origin}${pathname}`];
}

/** Removes the user and password that LLM_API_BASE may contain. */
function withoutCredentials(base: string): string {
  const url = new URL(base);
  url.username = '';
  url.password = '';
  return url.href.replace(/\/+$/, '');
}

/** Minimum length of a key whose last four characters are shown. */
const LEAST_KEY_LENGTH = 20;

function endOf(key: string | null): string | null {
  return key !== null && key.length >= LEAST_KEY_LENGTH ? key.slice(-4) : null;
}
