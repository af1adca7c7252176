import { ApiProperty } from '@nestjs/swagger';
import { Matches } from 'class-validator';
import { Examples } from '../../http/input/examples.js';
import { IntegerField, TextField } from '../../http/input/fields.js';
import { Closed } from '../../http/input/input.pipe.js';

const MODEL = {
  description:
    '`provider/name`, as LLM_MODEL; `extractive` for no language model. Without a prefix the provider follows from `api_base`, or from a well-known name.',
  example: 'ollama_chat/llama3.2',
  notBlank: true,
  maxLength: 200,
};

const OLLAMA = { model: 'ollama_chat/llama3.2', api_base: 'http://127.0.0.1:11434' };
const OPENAI = { model: 'openai/gpt-4o-mini', api_key: '<API_KEY>' };

/** The members of a request other than the model. */
class ModelAccess {
  @TextField({
    description:
      "Base URL of the API; null: the provider's. Private addresses are allowed, link-local and cloud metadata addresses are not.",
    example: 'http://127.0.0.1:11434',
    nullable: true,
    notEmpty: true,
    maxLength: 2_000,
  })
  api_base: string | null = null;

  @TextField({
    description:
      'API key. null: the stored key, or LLM_API_KEY, if it was set for the same provider and address; otherwise none.',
    example: '<API_KEY>',
    nullable: true,
    maxLength: 10_000,
  })
  @Matches(/^[\x21-\x7e]+$/, { message: 'Value error, must consist of visible ASCII characters' })
  api_key: string | null = null;

  @IntegerField({
    description: 'Context window in tokens. null: known for common models, otherwise 8192.',
    example: 32_768,
    nullable: true,
    min: 512,
  })
  context_window: number | null = null;
}

@Closed()
@Examples({ Ollama: OLLAMA, OpenAI: OPENAI })
export class ConnectModelDto extends ModelAccess {
  @TextField({ ...MODEL, required: true })
  model: string;
}

@Closed()
@Examples({ 'The model in use': {}, 'A model before it is connected': OPENAI })
export class TestModelDto extends ModelAccess {
  @TextField({ ...MODEL, description: `${MODEL.description} null: the model in use.`, nullable: true })
  model: string | null = null;
}

@Closed()
@Examples({ Ollama: { api_base: OLLAMA.api_base }, OpenAI: OPENAI })
export class ListModelsDto extends ModelAccess {
  @TextField({
    ...MODEL,
    description:
      'Any model of the provider: only its prefix counts (`openai/`). null: the provider follows from `api_base`; if that is null too, it is the provider in use.',
    nullable: true,
  })
  model: string | null = null;
}

export class ListedModelDto {
  @ApiProperty({ description: 'Value for `model` of PUT /settings/model.', example: 'openai/gpt-4o-mini' })
  model: string;

  @ApiProperty({ description: 'Name at the provider.', example: 'gpt-4o-mini' })
  name: string;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Context window in tokens; null if it is not known.',
    example: 128_000,
  })
  context_window: number | null;
}

export class ProviderModelsDto {
  @ApiProperty({ description: 'Whether the provider listed its models.', example: true })
  ok: boolean;

  @ApiProperty({ description: 'The result in words.', example: 'The provider lists 12 models' })
  message: string;

  @ApiProperty({ type: [ListedModelDto], description: 'Models that answer questions, by name.' })
  models: ListedModelDto[];
}

/** The model in use. Its key is not included. */
export class ModelSettingsDto {
  @ApiProperty({ description: 'The model in use.', example: 'openai/gpt-4o-mini' })
  model: string;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Base URL of its API; null without a language model.',
    example: 'https://api.openai.com/v1',
  })
  api_base: string | null;

  @ApiProperty({ description: 'Whether it is called with a key.', example: true })
  has_key: boolean;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'The last four characters of the key; null for a short key.',
    example: 'x7Qa',
  })
  key_end: string | null;

  @ApiProperty({ type: 'integer', description: 'Context window in tokens.', example: 128_000 })
  context_window: number;

  @ApiProperty({
    type: 'string',
    enum: ['environment', 'runtime'],
    description: 'environment: from LLM_*. runtime: connected while the service runs.',
    example: 'runtime',
  })
  source: 'environment' | 'runtime';

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    nullable: true,
    description: 'Time of the connection; null for the model of the environment.',
    example: '2026-01-31T12:00:00.000Z',
  })
  saved_at: string | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Reason why the stored model is not in use; null if no stored model failed.',
    example: null,
  })
  problem: string | null;

  @ApiProperty({
    description: 'The model of LLM_MODEL, which is used again after DELETE.',
    example: 'extractive',
  })
  environment_model: string;

  @ApiProperty({ description: 'Whether the model can be changed here (RUNTIME_SETTINGS).', example: true })
  changeable: boolean;
}

export class ModelTestDto {
  @ApiProperty({ description: 'Whether the model answered.', example: true })
  ok: boolean;

  @ApiProperty({ description: 'The result in words.', example: 'gpt-4o-mini answered in 0.6 seconds' })
  message: string;

  @ApiProperty({ type: 'integer', description: 'Time until the first token or the failure.', example: 612 })
  duration_ms: number;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description:
      'Context window in tokens that the model is used with; null: it is not known, and 8192 is assumed unless `context_window` is given.',
    example: 128_000,
  })
  context_window: number | null;
}
