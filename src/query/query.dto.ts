import { Invalid, type Location } from '../errors/index.js';
import { Field, FlagField, IntegerField, NestedField, NumberField, TextField } from '../http/input/fields.js';
import { isJsonObject, printJson } from '../json/exact-json.js';
import { RetrieveDto, toRetrieveRequest } from '../retrieval/retrieve.dto.js';
import { compileSchema } from '../models/llm/structured/compile-schema.js';
import { type JsonSchema, SchemaProblem } from '../models/llm/structured/json-schema.js';
import { CrossField } from '../http/input/input.pipe.js';
import { Examples } from '../http/input/examples.js';
import { LlmConfigDto, placesOfAliases, toLlmConfig } from './llm-config.dto.js';
import { PromptOverridesDto, toPrompts } from './prompt-overrides.dto.js';
import type { QueryRequest } from './query.types.js';

const ID_OF_ANSWER = /^[\w-]{1,64}$/;

/** Options of a field with the id of an answer. */
export const ANSWER_ID = {
  parse: (value: unknown, loc: Location): unknown => {
    if (ID_OF_ANSWER.test(value as string)) return value;
    throw Invalid.at(loc, 'Value error, an id of an answer is 1 to 64 letters, digits, - or _');
  },
  openapi: { pattern: ID_OF_ANSWER.source },
};

/** Reads a JSON Schema for answers, and converts its numbers to doubles. */
export function acceptedSchema(value: unknown, loc: Location): JsonSchema {
  if (typeof value !== 'boolean' && !isJsonObject(value)) {
    throw Invalid.at(loc, 'Value error, a JSON Schema must be an object or a boolean');
  }
  const schema = JSON.parse(printJson(value)) as JsonSchema;
  try {
    compileSchema(schema);
    return schema;
  } catch (error) {
    if (error instanceof SchemaProblem)
      throw Invalid.at([...loc, ...error.path], `Value error, ${error.message}`);
    throw error;
  }
}

@CrossField<QueryDto>(['replace_from', 'chat_id'], ({ replace_from, chat_id }) => {
  if (replace_from === null) return;
  if (chat_id === null) throw Invalid.at(['replace_from'], 'Value error, replace_from requires chat_id');
  if (replace_from % 2 !== 0) {
    throw Invalid.at(
      ['replace_from'],
      'Value error, replace_from must be the index of a question, which is even',
    );
  }
})
@CrossField<QueryDto>(['chat_revision', 'chat_id'], ({ chat_revision, chat_id }) => {
  if (chat_revision !== null && chat_id === null) {
    throw Invalid.at(['chat_revision'], 'Value error, chat_revision requires chat_id');
  }
})
@CrossField<QueryDto>(['answer_id', 'stream_response'], ({ answer_id, stream_response }) => {
  if (answer_id === null || stream_response === true) return;
  throw Invalid.at(['answer_id'], 'Value error, answer_id requires stream_response');
})
@Examples({
  'A question': { query: 'When does the last boat leave Torvig pier in winter?', inline_citations: true },
  'A structured answer': {
    query: 'How much did it cost to re-aluminise the main mirror?',
    schema: {
      type: 'object',
      properties: { cost: { type: 'number', description: 'Cost in pounds' } },
      required: ['cost'],
    },
  },
  'A conversation': { query: 'And in summer?', chat_id: 'support-1234', max_tokens: 300 },
})
export class QueryDto extends RetrieveDto {
  @IntegerField({
    description: 'Maximum number of tokens of the completion. null: the limit of the model.',
    example: 512,
    nullable: true,
    positive: true,
  })
  max_tokens: number | null = null;

  @NumberField({
    description: "Sampling temperature. null: the provider's default.",
    example: 0.2,
    nullable: true,
    min: 0,
    max: 2,
  })
  temperature: number | null = null;

  @NestedField({
    description: 'Overrides of the default prompts and examples.',
    nullable: true,
    type: () => PromptOverridesDto,
  })
  prompt_overrides: PromptOverridesDto | null = null;

  @Field(
    {
      description:
        'JSON Schema (draft 2020-12 or draft-07, at most 64 KiB, no remote references). The completion is then an object that is valid against it.',
      example: { type: 'object', properties: { steps: { type: 'array', items: { type: 'string' } } } },
      nullable: true,
      parse: acceptedSchema,
    },
    { oneOf: [{ type: 'object', additionalProperties: true }, { type: 'boolean' }] },
  )
  schema: JsonSchema | null = null;

  @TextField({
    description: 'Chat id: the history is loaded for the prompt, and this exchange is appended.',
    example: 'support-1234',
    nullable: true,
    notEmpty: true,
    maxLength: 256,
  })
  chat_id: string | null = null;

  @IntegerField({
    description:
      'With `chat_id`: even index that this question gets in the chat. The history ends before it. When the answer is stored, the chat no longer shows the message that had this index and all later ones; GET /chat/{chat_id}/versions lists them. The number of messages appends, so that a repeated request stores its question once.',
    example: null,
    nullable: true,
    min: 0,
  })
  replace_from: number | null = null;

  @IntegerField({
    description:
      'With `chat_id`: the revision of the chat that the caller has seen (GET /chats, or `chat_revision` of the last answer; 0: the chat does not exist). If it has another one, because another device continued it, nothing is asked (409).',
    example: null,
    nullable: true,
    min: 0,
  })
  chat_revision: number | null = null;

  @FlagField({
    description: 'Answer as server-sent events: `assistant` deltas, then `done` or `error`.',
    example: false,
    nullable: true,
    openapi: { default: false },
  })
  stream_response: boolean | null = false;

  @TextField({
    description:
      'Id that you choose for this answer, such as a UUID. With it a streamed answer goes on when the connection ends: GET /answers/{answer_id}/events goes on with its events, POST /answers/{answer_id}/stop ends it. A repeated request with the same id follows the same answer.',
    example: null,
    nullable: true,
    ...ANSWER_ID,
  })
  answer_id: string | null = null;

  @FlagField({
    description: 'Whether a stream begins with an event `sources`, before the model answers.',
    example: false,
    nullable: true,
    openapi: { default: false },
  })
  stream_sources: boolean | null = false;

  @FlagField({
    description:
      'Whether passages are quoted if the model fails before the first word of its answer, instead of an error (429, 502, 504). `metadata.model_failure` then tells why it failed.',
    example: false,
    nullable: true,
    openapi: { default: false },
  })
  quote_on_failure: boolean | null = false;

  @NestedField({
    description: 'Model and settings for this request. They override the configured ones.',
    nullable: true,
    type: () => LlmConfigDto,
  })
  llm_config: LlmConfigDto | null = null;

  @FlagField({
    description: 'Whether to cite sources in the text as `[filename, page N]`.',
    example: false,
    nullable: true,
    openapi: { default: false },
  })
  inline_citations: boolean | null = false;
}

/** Search options that are stored with a chat. */
const KEPT = [
  'folder_name',
  'folder_depth',
  'filters',
  'k',
  'min_score',
  'use_reranking',
  'use_colpali',
  'padding',
] as const;

/** Returns the search options of a valid request body as the client sent them, to be stored with the chat. */
export function searchIn(body: unknown): object {
  if (!isJsonObject(body)) return {};
  return Object.fromEntries(
    KEPT.flatMap((name) => ((body[name] ?? null) === null ? [] : [[name, body[name]]])),
  );
}

/**
 * Converts the body to a request.
 *
 * @param showsPlan whether the response includes the search plan; see the decorator `ShowsPlan`.
 */
export function toQueryRequest(dto: QueryDto, showsPlan = false): QueryRequest {
  const { query, outputFormat: _, ...search } = toRetrieveRequest(dto);
  return {
    turn: {
      question: query,
      history: [],
      sinceQuestion: [],
      search,
      citations: dto.inline_citations === true ? 'labels' : 'none',
      llmConfig: dto.llm_config && toLlmConfig(dto.llm_config),
      prompts: toPrompts(dto.prompt_overrides),
      maxTokens: dto.max_tokens,
      temperature: dto.temperature,
      schema: dto.schema,
      tools: null,
      calledAs: null,
      quotesOnFailure: dto.quote_on_failure ?? false,
    },
    chat:
      dto.chat_id === null
        ? null
        : { id: dto.chat_id, replaceFrom: dto.replace_from, revision: dto.chat_revision },
    options: {},
    streamsReasoning: false,
    streamsSources: dto.stream_sources ?? false,
    showsPlan,
    placeOf: placesOfAliases(dto.llm_config),
  };
}
