import { actingScope } from '../../access/acting-for.js';
import type { Scope } from '../../auth/scope.js';
import type { Settings } from '../../config/settings.js';
import {
  type ChatMessage,
  type FunctionTool,
  messageText,
  type ToolUse,
} from '../../models/llm/language-model.js';
import { Invalid, type Location, type PlaceOf, relocated, violation } from '../../errors/index.js';
import { readInput } from '../../http/input/input.pipe.js';
import { isJsonObject, parseJson } from '../../json/exact-json.js';
import { QueryDto, searchIn, toQueryRequest } from '../../query/query.dto.js';
import type { QueryRequest } from '../../query/query.types.js';
import type { ChatCompletionDto, MessageDto, ResponseFormatDto } from './chat-completion.dto.js';
import type { ToolDto } from './tools.dto.js';

/**
 * Members of `metadata` that are read as fields of POST /query. All other members belong to the caller and are ignored.
 */
const TEXTS = ['end_user_id', 'chat_id', 'output_format'] as const;
const VALUES = [
  ...['folder_depth', 'filters', 'k', 'min_score', 'use_reranking', 'use_colpali', 'padding'],
  ...['inline_citations', 'groups'],
] as const;

/** Sampling parameters that are at the top level in the OpenAI protocol, and in `llm_config` in POST /query. */
const SAMPLING = ['top_p', 'stop', 'seed', 'presence_penalty', 'frequency_penalty', 'reasoning_effort'];

/**
 * Converts a chat completion to a query request. The last message is the question, earlier messages are the
 * conversation, and system messages are the instructions. Folders and filters come from `metadata`. Other fields of POST
 * /query come from the body, which overrides `metadata`. If one particular function must be called, its arguments are
 * requested as structured output.
 *
 * @param model value for `llm_config.model`; null: the configured model.
 * @returns the query, and the scope for the person and groups that `metadata` names
 * @throws Invalid; Forbidden as for {@link actingScope}.
 */
export function requestOfChatCompletion(
  scope: Scope,
  dto: ChatCompletionDto,
  body: unknown,
  model: string | null,
  settings: Settings,
): { readonly scope: Scope; readonly query: QueryRequest } {
  const given = isJsonObject(body) ? body : {};
  const messages = readMessages(dto.messages);
  const image = given['query_image'] ?? null;
  const options = fieldsOfMetadata(dto.metadata);
  const acting = actingScope(scope, options, ['body', 'metadata']);
  const inMetadata = Object.keys(options).filter((name) => (given[name] ?? null) === null);
  const { config, fromTop } = readLlmConfig(given, model);
  const capName = dto.max_completion_tokens === null ? 'max_tokens' : 'max_completion_tokens';
  const called = functionToCall(dto);
  const shape = called === null ? shapeOf(dto.response_format) : shapeOfCall(called);
  if (shape !== null && (given['schema'] ?? null) !== null) {
    throw Invalid.at(
      ['body', 'schema'],
      `Value error, ${shape.place[0]} also sets the format of the answer: send one of them`,
    );
  }
  const fields = {
    ...given,
    ...Object.fromEntries(inMetadata.map((name) => [name, options[name]])),
    query: image === null ? messages.question : null,
    stream_response: null,
    max_tokens: given[capName] ?? null,
    schema: shape === null ? (given['schema'] ?? null) : shape.schema,
    prompt_overrides: withInstructions(given['prompt_overrides'] ?? null, messages.instructions),
    llm_config: config,
  };
  const placeOf: PlaceOf = (place) => {
    const [body = 'body', name, ...inner] = place;
    if (name === undefined) return place;
    if (inMetadata.includes(String(name))) return [body, 'metadata', name, ...inner];
    if (name === 'query') return [body, 'messages', messages.questionAt, 'content'];
    if (name === 'prompt_overrides' && inner.at(-1) === 'system_prompt' && !hasOwnPrompt(given[name])) {
      return [body, 'messages', messages.instructionsAt];
    }
    if (name === 'max_tokens') return [body, capName];
    if (name === 'schema' && shape !== null) return [body, ...shape.place, ...inner];
    if (name === 'llm_config' && fromTop.includes(String(inner[0]))) return [body, ...inner];
    return place;
  };
  const request = toQueryRequest(readFields(fields, placeOf, settings));
  // If an image is the question, the text of the same message becomes the last turn of the conversation.
  const words = image === null ? [] : [{ role: 'user', content: messages.content } as const];
  const query = {
    ...request,
    turn: {
      ...request.turn,
      question: image === null ? messages.content : null,
      history: [...messages.conversation, ...words],
      sinceQuestion: messages.sinceQuestion,
      tools: called === null ? toolUseOf(dto) : null,
      calledAs: called?.tool.function.name ?? null,
    },
    options: searchIn(fields),
    streamsReasoning: dto.include_reasoning === true,
    placeOf: (place: Location) => placeOf(request.placeOf(place)),
  };
  return { scope: acting, query };
}

/** Validates the fields. @throws Invalid with locations in the chat completion request. */
function readFields(fields: object, placeOf: PlaceOf, settings: Settings): QueryDto {
  try {
    return readInput(QueryDto, fields, ['body'], settings);
  } catch (error) {
    throw relocated(error, placeOf);
  }
}

interface ReadMessages {
  readonly instructions: string;
  /** Index of the first message with instructions; -1: there is none. */
  readonly instructionsAt: number;
  readonly conversation: ChatMessage[];
  readonly question: string;
  /** The question with its images. */
  readonly content: ChatMessage['content'];
  readonly questionAt: number;
  /** Function calls after the question, and their results. */
  readonly sinceQuestion: ChatMessage[];
}

/**
 * Splits the messages of a request.
 *
 * @throws Invalid if the last message is neither a question of the user nor the result of a function call after the
 *   question.
 */
function readMessages(messages: readonly MessageDto[]): ReadMessages {
  const questionAt = messages.findLastIndex(({ role }) => role === 'user');
  const content = messages[questionAt]?.content ?? '';
  const question = messageText({ content });
  const last = messages.at(-1)?.role;
  if (question === '' && content !== '') {
    throw Invalid.at(
      ['body', 'messages', questionAt, 'content'],
      'Value error, an image needs a text to search for',
    );
  }
  if (question === '' || (last !== 'user' && last !== 'tool')) {
    throw Invalid.at(
      ['body', 'messages'],
      'Value error, the last message must be a user question, or the result of a call after it',
    );
  }
  const isInstruction = ({ role }: MessageDto): boolean => role === 'system' || role === 'developer';
  const turnsOf = (some: readonly MessageDto[]): ChatMessage[] =>
    some.filter((message) => !isInstruction(message)).map(turnOf);
  return {
    instructions: messages
      .filter(isInstruction)
      .map((message) => messageText({ content: message.content ?? '' }))
      .join('\n\n'),
    instructionsAt: messages.findIndex(isInstruction),
    conversation: turnsOf(messages.slice(0, questionAt)),
    question,
    content,
    questionAt,
    sinceQuestion: turnsOf(messages.slice(questionAt + 1)),
  };
}

function turnOf({ role, content, tool_calls: calls, tool_call_id: callId }: MessageDto): ChatMessage {
  const said = content ?? '';
  if (role === 'tool') return { role, content: said, toolCallId: callId ?? '' };
  if (role !== 'assistant' || calls === null || calls.length === 0) {
    return { role: role === 'assistant' ? role : 'user', content: said };
  }
  const toolCalls = calls.map(({ id, function: { name, arguments: given } }) => ({
    id,
    name,
    arguments: given,
  }));
  return { role, content: said, toolCalls };
}

/** The `prompt_overrides` of the body, with the system messages appended to their instructions. */
function withInstructions(given: unknown, instructions: string): unknown {
  if (instructions === '') return given;
  const overrides = given ?? {};
  const query = isJsonObject(overrides) ? (overrides['query'] ?? {}) : undefined;
  if (!isJsonObject(overrides) || !isJsonObject(query)) return given;
  const own = query['system_prompt'] ?? null;
  if (own !== null && typeof own !== 'string') return given;
  const prompt = own === null ? instructions : `${own}\n\n${instructions}`;
  return { ...overrides, query: { ...query, system_prompt: prompt } };
}

function hasOwnPrompt(overrides: unknown): boolean {
  const query = isJsonObject(overrides) ? overrides['query'] : undefined;
  return isJsonObject(query) && (query['system_prompt'] ?? null) !== null;
}

/** The schema of the answer, and its location in the request. */
interface Shape {
  readonly schema: unknown;
  readonly place: Location;
}

function shapeOf(format: ResponseFormatDto | null): Shape | null {
  if (format === null || format.type === 'text') return null;
  if (format.type === 'json_object')
    return { schema: { type: 'object' }, place: ['response_format', 'type'] };
  const place = ['response_format', 'json_schema', 'schema'];
  const schema = format.json_schema?.['schema'];
  if (schema !== undefined) return { schema, place };
  throw violation(['body', ...place], 'isDefined');
}

interface NamedTool {
  readonly tool: ToolDto;
  readonly index: number;
}

/**
 * The function that must be called: the named function, or the only function if a call is required; null: no particular
 * function.
 *
 * @throws Invalid if the function is unknown, or no function is offered.
 */
function functionToCall({ tools, tool_choice: choice }: ChatCompletionDto): NamedTool | null {
  const [first, ...others] = tools ?? [];
  if (choice === 'required' && first === undefined) {
    throw Invalid.at(
      ['body', 'tool_choice'],
      'Value error, tool_choice requires a call, but there are no tools',
    );
  }
  if (choice === 'required' && first !== undefined && others.length === 0) return { tool: first, index: 0 };
  if (choice === null || typeof choice === 'string') return null;
  const index = (tools ?? []).findIndex((tool) => tool.function.name === choice.name);
  const tool = tools?.[index];
  if (tool !== undefined) return { tool, index };
  throw Invalid.at(['body', 'tool_choice'], `Value error, no tool has the name ${choice.name}`);
}

function shapeOfCall({ tool: { function: called }, index }: NamedTool): Shape {
  return { schema: schemaOfArguments(called), place: ['tools', index, 'function', 'parameters'] };
}

/**
 * The schema of a function's arguments. The schema includes the name and description of the function, which the model
 * does not get otherwise.
 */
export function schemaOfArguments({ name, description, parameters }: FunctionTool): object {
  const about = description === null ? { title: name } : { title: name, description };
  const taken = parameters ?? { properties: {}, additionalProperties: false };
  return { type: 'object', ...about, ...taken };
}

function toolUseOf({
  tools,
  tool_choice: choice,
  parallel_tool_calls: parallel,
}: ChatCompletionDto): ToolUse | null {
  if (tools === null || tools.length === 0) return null;
  const functions: FunctionTool[] = tools.map((tool) => tool.function);
  return { functions, choice: typeof choice === 'string' ? choice : null, parallel };
}

/**
 * `llm_config` of the body, overridden by top-level parameters.
 *
 * @returns the merged config, and the names of the applied top-level parameters
 */
function readLlmConfig(
  given: Readonly<Record<string, unknown>>,
  model: string | null,
): { readonly config: unknown; readonly fromTop: readonly string[] } {
  const config = given['llm_config'] ?? {};
  if (!isJsonObject(config)) return { config, fromTop: [] };
  const sampling = SAMPLING.filter((name) => (given[name] ?? null) !== null).map(
    (name) => [name, given[name]] as const,
  );
  const named =
    model === null || 'model' in config || 'model_name' in config ? [] : [['model', model] as const];
  const top = [...named, ...sampling];
  const merged = { ...config, ...Object.fromEntries<unknown>(top) };
  return {
    config: Object.keys(merged).length === 0 ? null : merged,
    fromTop: top.map(([name]) => name),
  };
}

/**
 * Reads the folders and filters in the `metadata` of an OpenAI request. Official clients allow only strings as values, so
 * a value may also be JSON in a string (`"filters": "{\"year\": 2025}"`).
 */
function fieldsOfMetadata(metadata: unknown): Readonly<Record<string, unknown>> {
  if (!isJsonObject(metadata)) return {};
  const fields: [string, unknown][] = [];
  for (const name of TEXTS) if (name in metadata) fields.push([name, metadata[name]]);
  for (const name of VALUES) if (name in metadata) fields.push([name, jsonIn(metadata[name])]);
  if ('folder_name' in metadata) fields.push(['folder_name', foldersIn(metadata['folder_name'])]);
  return Object.fromEntries(fields);
}

/** Parses JSON in a string. Invalid JSON remains a string, which the validation of the field rejects. */
function jsonIn(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return parseJson(value);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return value;
    throw error;
  }
}

function foldersIn(value: unknown): unknown {
  const parsed = jsonIn(value);
  return Array.isArray(parsed) ? parsed : value;
}
