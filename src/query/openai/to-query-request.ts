import type { Settings } from '../../config/settings.js';
import { Invalid } from '../../errors/index.js';
import { isJsonObject } from '../../http/input/check.js';
import { readInput } from '../../http/input/read-input.js';
import type { Turn } from '../conversation/history.js';
import { QueryDto, toQueryRequest } from '../query.dto.js';
import type { QueryRequest } from '../query.types.js';
import type { ChatCompletionDto, MessageDto, ResponseFormatDto } from './chat-completion.dto.js';

/** Sampling parameters that the OpenAI protocol has at the top and `llm_config` has inside. */
const SAMPLING = ['top_p', 'stop', 'seed', 'presence_penalty', 'frequency_penalty', 'reasoning_effort'];

/**
 * An OpenAI chat completion as a completion request: the last message is the question, those before it the
 * conversation, system messages the instructions; whatever else POST /query takes is read from the same body.
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
  const fields = readInput(
    QueryDto,
    {
      ...given,
      query: question,
      query_image: null,
      stream_response: null,
      max_tokens: dto.max_completion_tokens ?? given['max_tokens'] ?? null,
      schema: schemaOf(dto.response_format),
      prompt_overrides: instructions === '' ? null : { query: { system_prompt: instructions } },
      llm_config: llmConfigOf(given, model),
    },
    ['body'],
    settings,
  );
  return { ...toQueryRequest(fields), conversation };
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
