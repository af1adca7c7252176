import type { ApiPropertyOptions } from '@nestjs/swagger';
import { Examples } from '../../http/input/examples.js';
import { Invalid, violation } from '../../errors/index.js';
import { CrossField } from '../../http/input/input.pipe.js';
import {
  ChoiceField,
  Field,
  FlagField,
  IntegerField,
  JsonObjectField,
  NestedField,
  NestedListField,
  TextField,
} from '../../http/input/fields.js';
import { type ChatMessage, messageImages } from '../../models/llm/language-model.js';
import { messageContent } from './message-content.js';
import { MessageToolCallDto, toolChoice, ToolDto, type ToolChoice } from './tools.dto.js';

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool'] as const;

@CrossField<MessageDto>(['role', 'content'], ({ role, content }) => {
  if (role === 'user' || messageImages({ content: content ?? '' }).length === 0) return;
  throw Invalid.at(['content'], 'Value error, only a message of the user may have images');
})
@CrossField<MessageDto>(['role', 'tool_call_id'], ({ role, tool_call_id }) => {
  if (role === 'tool' && tool_call_id === null) throw violation(['tool_call_id'], 'isDefined');
})
export class MessageDto {
  @ChoiceField({ description: 'Role of the author.', values: ROLES, example: 'user', required: true })
  role: (typeof ROLES)[number];

  @Field(
    {
      description:
        'Text: a string or text parts. A message of the user may have `image_url` parts with data URLs, for a model that reads images.',
      example: 'How long does the warranty last?',
      nullable: true,
      parse: messageContent,
    },
    { oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'object' } }] },
  )
  content: ChatMessage['content'] | null = null;

  @NestedListField({
    description: 'Function calls of an assistant message.',
    nullable: true,
    type: () => MessageToolCallDto,
  })
  tool_calls: MessageToolCallDto[] | null = null;

  @TextField({ description: 'Id of the call whose result is `content`, in a tool message.', nullable: true })
  tool_call_id: string | null = null;
}

/** Maximum number of tools, equal to OpenAI's limit. */
const MAX_TOOLS = 128;

const NO_ITEMS: ApiPropertyOptions = {
  type: 'array',
  items: { type: 'object', nullable: true },
  maxItems: 0,
};

export const ANY_OBJECT = { type: 'object', additionalProperties: true } as const;

/**
 * Declares an unsupported member of the protocol. A value that would have an effect is an error; it is not ignored.
 * @param harmless values without an effect, besides null
 */
export function Unsupported(
  why: string,
  schema: ApiPropertyOptions,
  harmless: readonly unknown[] = [],
): PropertyDecorator {
  const accepted = harmless.map((value) => JSON.stringify(value));
  return Field(
    {
      description: `Not supported: ${why}.`,
      nullable: true,
      parse: (value, loc) => {
        if (value === null || accepted.includes(JSON.stringify(value))) return null;
        throw Invalid.at(loc, `Value error, ${String(loc.at(-1))} is not supported: ${why}`);
      },
    },
    schema,
  );
}

export class ModelPath {
  @TextField({
    description: 'An id from GET /v1/models.',
    example: 'lectern',
    required: true,
    notEmpty: true,
  })
  model: string;
}

export class ResponseFormatDto {
  @ChoiceField({
    description: 'Response format.',
    values: ['text', 'json_object', 'json_schema'],
    example: 'text',
    required: true,
  })
  type: 'text' | 'json_object' | 'json_schema';

  @JsonObjectField({ description: 'With `json_schema`: `{name, schema}`.', nullable: true })
  json_schema: Readonly<Record<string, unknown>> | null = null;
}

export class StreamOptionsDto {
  @FlagField({ description: 'Whether to send usage in a last chunk.', nullable: true })
  include_usage: boolean | null = null;
}

/**
 * Body of an OpenAI chat completion. Also accepts the retrieval fields of POST /query (`k`, `filters`, `folder_name`,
 * `end_user_id`, `inline_citations`, ...), which official clients send as `extra_body`.
 */
@Examples({
  'A question': {
    model: 'lectern',
    messages: [{ role: 'user', content: 'When does the last boat leave Torvig pier in winter?' }],
  },
  'A conversation over one document': {
    model: 'lectern',
    messages: [
      { role: 'system', content: 'Answer in one sentence.' },
      { role: 'user', content: 'What does error E07 mean?' },
      { role: 'assistant', content: 'The heater was on for 60 minutes with no rise in temperature.' },
      { role: 'user', content: 'What should I check?' },
    ],
    metadata: { filters: '{"filename": "greenhouse-controller-manual.md"}', inline_citations: 'true' },
  },
})
export class ChatCompletionDto {
  @TextField({
    description:
      'An id from GET /v1/models. Any other name selects the configured model, unless ANY_MODEL_NAME is false. The response repeats the name.',
    example: 'lectern',
    required: true,
    notEmpty: true,
  })
  model: string;

  @NestedListField({
    description:
      'The conversation. The last user message is the question; function calls and their results may follow it.',
    type: () => MessageDto,
    required: true,
    openapi: { minItems: 1 },
  })
  messages: MessageDto[];

  @JsonObjectField({
    description:
      'Scope and filters: `folder_name`, `folder_depth`, `end_user_id`, `groups`, `filters`, `k`, `min_score`, `use_reranking`, `inline_citations`, `chat_id` and similar fields of POST /query. Values may be JSON strings, as sent by official clients. Other members are ignored.',
    example: { folder_name: '/manuals', filters: '{"year": 2025}' },
    nullable: true,
  })
  metadata: Readonly<Record<string, unknown>> | null = null;

  @FlagField({ description: 'Whether to answer as server-sent events.', nullable: true })
  stream: boolean | null = null;

  @NestedField({ description: 'With `stream`.', nullable: true, type: () => StreamOptionsDto })
  stream_options: StreamOptionsDto | null = null;

  @FlagField({
    description:
      'Whether to return the reasoning of the model as `reasoning_content` of the message or delta.',
    nullable: true,
  })
  include_reasoning: boolean | null = null;

  @NestedField({ description: 'Structured output.', nullable: true, type: () => ResponseFormatDto })
  response_format: ResponseFormatDto | null = null;

  @IntegerField({
    description: 'Maximum number of tokens of the completion.',
    nullable: true,
    positive: true,
  })
  max_completion_tokens: number | null = null;

  @IntegerField({ description: 'Number of answers; must be 1.', nullable: true, min: 1, max: 1 })
  n: number | null = null;

  @NestedListField({
    description: 'Functions that the language model may call. Ignored without a language model.',
    nullable: true,
    maxSize: MAX_TOOLS,
    type: () => ToolDto,
  })
  tools: ToolDto[] | null = null;

  @Field(
    {
      description:
        '`none`, `auto`, `required`, or `{type: "function", function: {name}}` for a call of that function with arguments valid against its schema. The last two need a language model.',
      example: 'auto',
      nullable: true,
      parse: toolChoice,
    },
    { oneOf: [{ type: 'object' }, { type: 'string', enum: ['none', 'auto', 'required'] }] },
  )
  tool_choice: ToolChoice | null = null;

  @FlagField({ description: 'Whether an answer may contain several calls.', nullable: true })
  parallel_tool_calls: boolean | null = null;

  @Unsupported('use `tools`', NO_ITEMS, [[]])
  functions: null = null;

  @Unsupported('not all models provide them', { type: 'boolean' }, [false])
  logprobs: null = null;

  @Unsupported('not all models provide them', { type: 'integer' }, [0])
  top_logprobs: null = null;

  @Unsupported('not all models accept it', ANY_OBJECT, [{}])
  logit_bias: null = null;

  @Unsupported('answers are text', { type: 'array', items: { type: 'string', enum: ['text'] } }, [
    [],
    ['text'],
  ])
  modalities: null = null;

  @Unsupported('answers are text', ANY_OBJECT)
  audio: null = null;

  @Unsupported('answers come from the documents', ANY_OBJECT)
  web_search_options: null = null;
}
