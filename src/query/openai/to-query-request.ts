import type { Settings } from '../../config/settings.js';
import { Invalid, type Location } from '../../errors/index.js';
import { isJsonObject } from '../../http/input/check.js';
import { readInput } from '../../http/input/read-input.js';
import type { Turn } from '../conversation/history.js';
import { QueryDto, toQueryRequest } from '../query.dto.js';
import type { QueryRequest } from '../query.types.js';
import { fieldsOfMetadata } from './metadata-fields.js';
import type { ChatCompletionDto, MessageDto, ResponseFormatDto } from './chat-completion.dto.js';

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
    llm_config: llmConfigOf(given, model),
  };
  const placeOf = ([name, inner, ...rest]: Location): Location => {
    if (name === undefined) return [];
    if (inMetadata.includes(String(name))) return ['metadata', name, ...present(inner), ...rest];
    if (name === 'query') return ['messages', dto.messages.length - 1, 'content'];
    if (name === 'prompt_overrides') return ['messages'];
    if (name === 'max_tokens') return [capName];
    if (name === 'schema') return ['response_format', 'json_schema', 'schema', ...present(inner), ...rest];
    const isSampling = name === 'llm_config' && (given[String(inner)] ?? null) !== null;
    return [...(isSampling ? [] : [name]), ...present(inner), ...rest];
  };
  return { ...toQueryRequest(readFields(fields, placeOf, settings)), conversation };
}

const present = (step: string | number | undefined): Location => (step === undefined ? [] : [step]);

/**
 * @param placeOf where in the body of a chat completion the value at a place of POST /query comes from.
 * @throws Invalid whose places are those of the chat completion.
 */
function readFields(fields: object, placeOf: (loc: Location) => Location, settings: Settings): QueryDto {
  try {
    return readInput(QueryDto, fields, ['body'], settings);
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    throw new Invalid(
      error.items.map(({ loc, ...item }) => ({ ...item, loc: ['body', ...placeOf(loc.slice(1))] })),
    );
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

/** `llm_config` of the body if it has one, under the parameters at its top. */
function llmConfigOf(given: Readonly<Record<string, unknown>>, model: string | null): unknown {
  const config = given['llm_config'] ?? {};
  if (!isJsonObject(config)) return config;
  const sampling = SAMPLING.flatMap((key) =>
    given[key] === undefined || given[key] === null ? [] : [[key, given[key]]],
  );
  const named = model === null || 'model' in config || 'model_name' in config ? {} : { model };
  const merged = { ...config, ...named, ...(Object.fromEntries(sampling) as object) };
  return Object.keys(merged).length === 0 ? null : merged;
}
