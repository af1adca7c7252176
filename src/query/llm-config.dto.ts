import { validateHeaderName, validateHeaderValue } from 'node:http';
import { AS_IT_STANDS, Invalid, type Location, type PlaceOf } from '../errors/index.js';
import type { LlmConfig } from '../models/llm/model-settings.js';
import { CrossField, type Parse, Closed } from '../http/input/input.pipe.js';
import {
  Field,
  FlagField,
  IntegerField,
  NumberField,
  TextField,
  TextMapField,
} from '../http/input/fields.js';
import { eachOf, text } from '../http/input/parse.js';

/** Checks a value that will be sent in an HTTP header. */
const headerSafe: Parse = (value, loc) => {
  requireHeader('authorization', String(value), loc);
  return value;
};

/**
 * Headers that `extra_headers` must not set, because they determine the destination, the framing or the credentials of
 * a request. Credentials are set with `api_key`.
 */
const OWN_HEADERS =
  /^(?:host|authorization|api-key|x-api-key|proxy-.*|connection|content-.*|transfer-encoding|te|trailer|upgrade|expect|keep-alive|cookie)$/i;

const headers: Parse = (value, loc) => {
  for (const [name, content] of Object.entries(value as Record<string, string>)) {
    requireHeader(name, content, [...loc, name]);
    if (OWN_HEADERS.test(name)) {
      throw Invalid.at([...loc, name], 'Value error, this header must not be set');
    }
  }
  return value;
};

function requireHeader(name: string, value: string, loc: Location): void {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  } catch {
    throw Invalid.at(loc, 'Value error, not a valid HTTP header');
  }
}

/** Class decorator: a field and its alias may both be given only if their values are equal. */
const OneName = <T extends LlmConfigDto>(name: keyof T & string, alias: keyof T & string) =>
  CrossField<T>([name, alias], (config) => {
    if (config[name] === undefined || config[alias] === undefined || config[name] === config[alias]) return;
    throw Invalid.at([alias], `Value error, ${alias} is an alias of ${name} and differs from it`);
  });

/** `llm_config`, with LiteLLM-style keys. Its members override the settings of the configured model. */
@Closed()
@OneName<LlmConfigDto>('model', 'model_name')
@OneName<LlmConfigDto>('api_base', 'base_url')
export class LlmConfigDto {
  @TextField({
    description: '`provider/name`; without a known prefix, a model of the configured provider.',
    example: 'openai/gpt-4o-mini',
    notEmpty: true,
  })
  model?: string;

  @TextField({ description: 'Alias of `model`.', notEmpty: true })
  model_name?: string;

  @TextField({
    description:
      'API key of the provider. Required if the address or provider differs from the configured one.',
    notEmpty: true,
    parse: headerSafe,
  })
  api_key?: string;

  @TextField({
    description: 'Base URL of the API; must be allowed by LLM_ALLOWED_BASES.',
    notEmpty: true,
  })
  api_base?: string;

  @TextField({ description: 'Alias of `api_base`.', notEmpty: true })
  base_url?: string;

  @TextField({ description: 'API version (azure).', notEmpty: true })
  api_version?: string;

  @TextField({ description: 'Deployment (azure).', notEmpty: true })
  deployment_id?: string;

  @NumberField({ description: 'Sampling temperature.', example: 0.2, min: 0, max: 2 })
  temperature?: number;

  @IntegerField({ description: 'Maximum number of tokens of the completion.', example: 512, positive: true })
  max_tokens?: number;

  @NumberField({ description: 'Nucleus sampling.', positive: true, max: 1 })
  top_p?: number;

  @Field(
    {
      description: 'Stop sequences: a string or an array of strings.',
      parse: (value, loc) => (Array.isArray(value) ? eachOf(text)(value, loc) : text(value, loc)),
    },
    { oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
  )
  stop?: string | readonly string[];

  @IntegerField({
    description: 'Sampling seed.',
    min: Number.MIN_SAFE_INTEGER,
    max: Number.MAX_SAFE_INTEGER,
  })
  seed?: number;

  @NumberField({ description: 'Presence penalty.', min: -2, max: 2 })
  presence_penalty?: number;

  @NumberField({ description: 'Frequency penalty.', min: -2, max: 2 })
  frequency_penalty?: number;

  @TextField({ description: 'Reasoning effort, as named by the provider.', notEmpty: true })
  reasoning_effort?: string;

  @NumberField({ description: 'Deadline in seconds.', positive: true, max: 3_600 })
  timeout?: number;

  @IntegerField({ description: 'Retries after the first attempt.', min: 0, max: 10 })
  num_retries?: number;

  @TextMapField({ description: 'Additional request headers for the provider.', parse: headers })
  extra_headers?: Readonly<Record<string, string>>;

  @FlagField({ description: 'Whether the model accepts images.' })
  vision?: boolean;

  @IntegerField({ description: 'Context window in tokens.', min: 256 })
  context_window?: number;
}

export function toLlmConfig(dto: LlmConfigDto): LlmConfig {
  const { model = dto.model_name, api_base: apiBase = dto.base_url, timeout } = dto;
  const config: { readonly [K in keyof LlmConfig]: LlmConfig[K] | undefined } = {
    model,
    apiKey: dto.api_key,
    apiBase,
    apiVersion: dto.api_version,
    deployment: dto.deployment_id,
    maxTokens: dto.max_tokens,
    timeoutMs: timeout === undefined ? undefined : Math.max(1, Math.round(timeout * 1000)),
    retries: dto.num_retries,
    extraHeaders: dto.extra_headers,
    vision: dto.vision,
    contextWindow: dto.context_window,
    sampling: present({
      temperature: dto.temperature,
      top_p: dto.top_p,
      stop: dto.stop,
      seed: dto.seed,
      presence_penalty: dto.presence_penalty,
      frequency_penalty: dto.frequency_penalty,
      reasoning_effort: dto.reasoning_effort,
    }),
  };
  return present(config) as LlmConfig;
}

/** Maps the location of a member to the location of its alias, if the request used the alias. */
export function placesOfAliases(dto: LlmConfigDto | null): PlaceOf {
  if (dto === null) return AS_IT_STANDS;
  const aliases = new Map<unknown, string>();
  if (dto.model === undefined && dto.model_name !== undefined) aliases.set('model', 'model_name');
  if (dto.api_base === undefined && dto.base_url !== undefined) aliases.set('api_base', 'base_url');
  if (aliases.size === 0) return AS_IT_STANDS;
  return (place) => {
    const [body, config, member, ...inner] = place;
    const alias = config === 'llm_config' ? aliases.get(member) : undefined;
    return body === undefined || config === undefined || alias === undefined
      ? place
      : [body, config, alias, ...inner];
  };
}

type Present<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

function present<T extends object>(members: T): Present<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Present<T>;
}
