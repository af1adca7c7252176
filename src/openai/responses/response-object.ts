import type { Usage } from '../../models/llm/language-model.js';
import { idOf } from '../ids.js';
import type { OutputItem } from './items.js';
import type { CreateResponseDto } from './response.dto.js';

export interface ResponseUsage {
  readonly input_tokens: number;
  readonly input_tokens_details: { readonly cached_tokens: number; readonly cache_write_tokens: number };
  readonly output_tokens: number;
  readonly output_tokens_details: { readonly reasoning_tokens: number };
  readonly total_tokens: number;
}

/** Members of a response that change until it is completed. */
export interface ResponseState {
  readonly status: 'in_progress' | 'completed' | 'incomplete' | 'failed';
  /** Seconds since 1970. */
  readonly completed_at: number | null;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly incomplete_details: { readonly reason: 'max_output_tokens' | 'content_filter' } | null;
  readonly output: readonly OutputItem[];
  readonly usage: ResponseUsage | null;
  /** Notes on parts of the request that had no effect. An extension of OpenAI's Responses API. */
  readonly notes?: readonly string[];
}

/**
 * A response object of OpenAI's Responses API. It repeats the members of the request; members without an effect have their
 * default values.
 */
export interface ResponseObject extends ResponseState {
  readonly id: string;
  readonly object: 'response';
  readonly [member: string]: unknown;
}

/** Id and time of creation of a response. */
export interface ResponseStamp {
  /** A UUID. */
  readonly id: string;
  /** Seconds since 1970. */
  readonly createdAt: number;
}

export const IN_PROGRESS: ResponseState = {
  status: 'in_progress',
  completed_at: null,
  error: null,
  incomplete_details: null,
  output: [],
  usage: null,
};

export function responseObject(
  { id, createdAt }: ResponseStamp,
  dto: CreateResponseDto,
  state: ResponseState,
): ResponseObject {
  return {
    id: idOf('response', id),
    object: 'response',
    created_at: createdAt,
    status: state.status,
    background: false,
    completed_at: state.completed_at,
    conversation: dto.conversation === null ? null : { id: dto.conversation },
    error: state.error,
    frequency_penalty: 0,
    incomplete_details: state.incomplete_details,
    instructions: dto.instructions,
    max_output_tokens: dto.max_output_tokens,
    max_tool_calls: null,
    metadata: dto.metadata ?? {},
    model: dto.model,
    output: state.output,
    parallel_tool_calls: dto.parallel_tool_calls ?? true,
    presence_penalty: 0,
    previous_response_id: dto.previous_response_id,
    prompt_cache_key: null,
    reasoning: { effort: null, summary: null },
    safety_identifier: null,
    service_tier: 'default',
    store: dto.isStored,
    temperature: dto.temperature ?? 1,
    text: { format: formatOf(dto), verbosity: 'medium' },
    tool_choice: dto.tool_choice?.echo ?? 'auto',
    tools: dto.givenTools.echo,
    top_logprobs: 0,
    top_p: dto.top_p ?? 1,
    truncation: 'auto',
    usage: state.usage,
    user: null,
    ...(state.notes === undefined ? {} : { notes: state.notes }),
  };
}

function formatOf({ text }: CreateResponseDto): object {
  const { type = 'text', ...rest } = text?.format ?? {};
  if (type !== 'json_schema') return { type };
  const { name, description, schema, strict } = { description: null, ...rest };
  return { type, name, schema, strict, ...(description === null ? {} : { description }) };
}

export function usageOf({ promptTokens, completionTokens }: Usage): ResponseUsage {
  return {
    input_tokens: promptTokens,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: completionTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: promptTokens + completionTokens,
  };
}
