import { Examples } from '../../http/input/examples.js';
import {
  ChoiceField,
  Field,
  FlagField,
  IntegerField,
  NestedField,
  NumberField,
  TextField,
  TextListField,
} from '../../http/input/fields.js';
import { CrossField } from '../../http/input/input.pipe.js';
import { Invalid, violation } from '../../errors/index.js';
import type { JsonSchema } from '../../models/llm/structured/json-schema.js';
import { LlmConfigDto } from '../../query/llm-config.dto.js';
import { ANY_OBJECT, Unsupported } from '../chat-completions/chat-completion.dto.js';
import { acceptedSchema } from '../../query/query.dto.js';
import { MetadataField } from '../attributes.js';
import { CursorQuery } from '../cursor-list.js';
import { conversationId, responseInput } from './input.js';
import type { GivenItem } from './items.js';
import { type GivenToolChoice, toolChoice } from './tool-choice.js';
import { NO_TOOLS, type ResponseTools, responseTools } from './tools.js';

const FORMATS = ['text', 'json_object', 'json_schema'] as const;

const END_USER = 'Selects the responses and conversations of this end user. An extension of the protocol.';

/** Selects the end user whose responses and conversations the request concerns. */
export class EndUserQuery {
  @TextField({ description: END_USER, nullable: true, notEmpty: true, maxLength: 256 })
  end_user_id: string | null = null;
}

export class ResponseQuery extends EndUserQuery {
  @FlagField({
    description: 'Not supported: a stored response is returned as an object.',
    inText: true,
  })
  stream = false;
}

export class ItemsQuery extends CursorQuery {
  @TextField({ description: END_USER, nullable: true, notEmpty: true, maxLength: 256 })
  end_user_id: string | null = null;
}

@CrossField<TextFormatDto>(['type', 'schema', 'name'], ({ type, schema, name }) => {
  if (type !== 'json_schema') return;
  if (schema === null) throw violation(['schema'], 'isDefined');
  if (name === null) throw violation(['name'], 'isDefined');
})
export class TextFormatDto {
  @ChoiceField({ description: 'Format of the answer.', values: FORMATS, example: 'text', required: true })
  type: (typeof FORMATS)[number];

  @TextField({ description: 'With `json_schema`: name of the schema.', nullable: true, notEmpty: true })
  name: string | null = null;

  @TextField({ description: 'With `json_schema`: purpose of the schema.', nullable: true })
  description: string | null = null;

  @Field(
    {
      description: 'With `json_schema`: the schema. The answer is always validated against it.',
      nullable: true,
      parse: acceptedSchema,
    },
    { oneOf: [{ type: 'object', additionalProperties: true }, { type: 'boolean' }] },
  )
  schema: JsonSchema | null = null;

  @FlagField({ description: 'Repeated in the response.', nullable: true })
  strict: boolean | null = null;
}

export class TextOptionsDto {
  @NestedField({ description: 'Format of the answer.', nullable: true, type: () => TextFormatDto })
  format: TextFormatDto | null = null;
}

/** Body of POST /v1/responses. Other members have no effect. */
@Examples({
  'A question about files': {
    model: 'lectern',
    input: 'When is the keeper relieved?',
    tools: [{ type: 'file_search', vector_store_ids: ['vs_0199f1c2a4d87e0b9c3d5e6f7a8b9c0d'] }],
    include: ['file_search_call.results'],
  },
  'An answer of the model': { model: 'lectern', input: 'Write one sentence about lighthouses.' },
})
@CrossField<CreateResponseDto>(['conversation', 'previous_response_id'], (dto) => {
  if (dto.conversation === null || dto.previous_response_id === null) return;
  throw Invalid.at(['conversation'], 'Value error, send conversation or previous_response_id, not both');
})
export class CreateResponseDto extends EndUserQuery {
  @TextField({
    description:
      'An id from GET /v1/models. Any other name selects the configured model, unless ANY_MODEL_NAME is false. The response repeats the name.',
    example: 'lectern',
    required: true,
    notEmpty: true,
  })
  model: string;

  @Field(
    {
      description: 'A text of the user, or items: messages, function calls and their outputs, references.',
      example: 'When is the keeper relieved?',
      required: true,
      parse: responseInput,
    },
    { oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'object' } }] },
  )
  input: readonly GivenItem[];

  @TextField({
    description: 'Instructions for this answer only. The next response does not inherit them.',
    nullable: true,
  })
  instructions: string | null = null;

  @TextField({ description: 'The response that this one continues.', nullable: true })
  previous_response_id: string | null = null;

  @Field(
    {
      description:
        'The conversation to continue: an id or `{id}`. Its items precede the input, and the new items are appended to it. Not with `previous_response_id`.',
      nullable: true,
      parse: conversationId,
    },
    {
      oneOf: [
        { type: 'string' },
        { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
      ],
    },
  )
  conversation: string | null = null;

  @Field(
    {
      description:
        'At most one `file_search` with `vector_store_ids`, and functions. The answer uses only the named stores.',
      nullable: true,
      parse: responseTools,
    },
    { type: 'array', items: { type: 'object' } },
  )
  tools: ResponseTools | null = null;

  @Field(
    {
      description:
        '`none`, `auto`, `required`, `{type: "function", name}`, `{type: "file_search"}` or `{type: "allowed_tools", mode, tools}`.',
      example: 'auto',
      nullable: true,
      parse: toolChoice,
    },
    { oneOf: [{ type: 'object' }, { type: 'string', enum: ['none', 'auto', 'required'] }] },
  )
  tool_choice: GivenToolChoice | null = null;

  @FlagField({ description: 'Whether an answer may have several calls.', nullable: true })
  parallel_tool_calls: boolean | null = null;

  @NestedField({ description: 'Structured output.', nullable: true, type: () => TextOptionsDto })
  text: TextOptionsDto | null = null;

  @IntegerField({ description: 'Maximum tokens of the answer.', nullable: true, min: 16 })
  max_output_tokens: number | null = null;

  @NumberField({ description: 'Sampling temperature.', nullable: true, min: 0, max: 2 })
  temperature: number | null = null;

  @NumberField({ description: 'Nucleus sampling.', nullable: true, min: 0, max: 1 })
  top_p: number | null = null;

  @TextListField({
    description: '`file_search_call.results` adds the passages; other values have no effect.',
    nullable: true,
  })
  include: string[] | null = null;

  @FlagField({ description: 'Whether to store the response. null: true.', nullable: true })
  store: boolean | null = null;

  @FlagField({ description: 'Answer as server-sent events.', nullable: true })
  stream: boolean | null = null;

  @MetadataField()
  metadata: Readonly<Record<string, string>> | null = null;

  @NestedField({
    description: 'Settings of the model, as in POST /query; an extension of the protocol.',
    nullable: true,
    type: () => LlmConfigDto,
  })
  llm_config: LlmConfigDto | null = null;

  @Unsupported('not all models provide them', { type: 'integer' }, [0])
  top_logprobs: null = null;

  @Unsupported('responses are created synchronously', { type: 'boolean' }, [false])
  background: null = null;

  @Unsupported('the service has no stored prompts', ANY_OBJECT)
  prompt: null = null;

  get isStored(): boolean {
    return this.store ?? true;
  }

  get givenTools(): ResponseTools {
    return this.tools ?? NO_TOOLS;
  }
}
