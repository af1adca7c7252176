import type { Settings } from '../../config/settings.js';
import { Invalid, type Location } from '../../errors/index.js';
import { readInput } from '../../http/input/input.pipe.js';
import { isJsonObject } from '../../json/json-object.js';
import type { Turn } from '../prompt/conversation.js';
import { QueryDto, toQueryRequest } from '../query.dto.js';
import { type PlaceOf, type QueryRequest, relocated } from '../query.types.js';
import type { ChatCompletionDto, MessageDto, ResponseFormatDto } from './chat-completion.dto.js';
import { parseJson } from '../../json/exact-json.js';

/** Members of `metadata` that are read as the field of POST /query of that name; the others are the caller's own. */
const TEXTS = ['end_user_id', 'chat_id', 'output_format'] as const;
const VALUES = [
  ...['folder_depth', 'filters', 'k', 'min_score', 'use_reranking', 'use_colpali', 'padding'],
  'inline_citations',
] as const;

/** Sampling parameters that the OpenAI protocol has at the top and `llm_config` has inside. */
const SAMPLING = ['top_p', 'stop', 'seed', 'presence_penalty', 'frequency_penalty', 'reasoning_effort'];

/**
 * An OpenAI chat completion as a completion request: the last message is the question, those before it the
 * conversation, system messages the instructions; scope and filters stand in `metadata`, and whatever else POST /query
 * takes is read from the same body, where it wins over `metadata`.
 * @param model as `llm_config.model` names it; null for the configured one.
 * @throws Invalid.
 */
export function requestOfChatCompletion(
  dto: ChatCompletionDto,
  body: unknown,
  model: string | null,
  settings: Settings,
): QueryRequest {
  const given = isJsonObject(body) ? body : {};
  const { instructions, conversation, question } = readMessages(dto.messages);
  const scope = fieldsOfMetadata(dto.metadata);
  const inMetadata = Object.keys(scope).filter((name) => (given[name] ?? null) === null);
  const { config, fromTop } = readLlmConfig(given, model);
  const capName = dto.max_completion_tokens === null ? 'max_tokens' : 'max_completion_tokens';
  const fields = {
    ...given,
    ...Object.fromEntries(inMetadata.map((name) => [name, scope[name]])),
    query: question,
    query_image: null,
    stream_response: null,
    max_tokens: given[capName] ?? null,
    schema: schemaOf(dto.response_format),
    prompt_overrides: instructions === '' ? null : { query: { system_prompt: instructions } },
    llm_config: config,
  };
  const placeOf: PlaceOf = (place) => {
    const [body = 'body', name, ...inner] = place;
    if (name === undefined) return place;
    if (inMetadata.includes(String(name))) return [body, 'metadata', name, ...inner];
    if (name === 'query') return [body, 'messages', dto.messages.length - 1, 'content'];
    if (name === 'prompt_overrides') return [body, 'messages'];
    if (name === 'max_tokens') return [body, capName];
    if (name === 'schema') return [body, 'response_format', ...schemaPlace(dto.response_format), ...inner];
    if (name === 'llm_config' && fromTop.includes(String(inner[0]))) return [body, ...inner];
    return place;
  };
  const request = toQueryRequest(readFields(fields, placeOf, settings));
  return { ...request, conversation, placeOf: (place) => placeOf(request.placeOf(place)) };
}

/** @throws Invalid whose places are those of the chat completion. */
function readFields(fields: object, placeOf: PlaceOf, settings: Settings): QueryDto {
  try {
    return readInput(QueryDto, fields, ['body'], settings);
  } catch (error) {
    throw relocated(error, placeOf);
  }
}

function readMessages(messages: readonly MessageDto[]): {
  instructions: string;
  conversation: Turn[];
  question: string;
} {
  const last = messages.at(-1);
  if (last?.role !== 'user' || (last.content ?? '') === '') {
    throw Invalid.at(['body', 'messages'], 'Value error, the last message has to be a question of the user');
  }
  const instructions: string[] = [];
  const conversation: Turn[] = [];
  for (const { role, content } of messages.slice(0, -1)) {
    if (role === 'user' || role === 'assistant') conversation.push({ role, content: content ?? '' });
    else instructions.push(content ?? '');
  }
  return { instructions: instructions.join('\n\n'), conversation, question: last.content ?? '' };
}

function schemaOf(format: ResponseFormatDto | null): unknown {
  if (format === null || format.type === 'text') return null;
  if (format.type === 'json_object') return { type: 'object' };
  const schema = format.json_schema?.['schema'];
  if (schema !== undefined) return schema;
  throw Invalid.at(['body', 'response_format', 'json_schema', 'schema'], 'Field required', 'missing');
}

function schemaPlace(format: ResponseFormatDto | null): Location {
  return format?.type === 'json_object' ? ['type'] : ['json_schema', 'schema'];
}

/**
 * `llm_config` of the body if it has one, under the parameters at its top.
 * @returns with the names of those that come from the top.
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
 * Scope and filters of an OpenAI request: its `metadata`, whose values official clients hold to strings, so that
 * anything but text is JSON in a string (`"filters": "{\"year\": 2025}"`) as well as the value itself.
 */
function fieldsOfMetadata(metadata: unknown): Readonly<Record<string, unknown>> {
  if (!isJsonObject(metadata)) return {};
  const fields: [string, unknown][] = [];
  for (const name of TEXTS) if (name in metadata) fields.push([name, metadata[name]]);
  for (const name of VALUES) if (name in metadata) fields.push([name, jsonIn(metadata[name])]);
  if ('folder_name' in metadata) fields.push(['folder_name', foldersIn(metadata['folder_name'])]);
  return Object.fromEntries(fields);
}

/** What is no JSON stays as it is, for the field to refuse. */
function jsonIn(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return parseJson(value);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return value;
    throw error;
  }
}

/** One path, or a JSON array of paths. */
function foldersIn(value: unknown): unknown {
  const parsed = jsonIn(value);
  return Array.isArray(parsed) ? parsed : value;
}
