import { ApiProperty } from '@nestjs/swagger';
import { Matches } from 'class-validator';
import { Examples } from '../../http/input/examples.js';
import { IntegerField, TextField } from '../../http/input/fields.js';
import { Closed } from '../../http/input/input.pipe.js';

const MODEL = {
  description: '`provider/name`, as LLM_MODEL; `extractive` for no language model.',
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
}
