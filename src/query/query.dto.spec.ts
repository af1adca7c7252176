import { settingsWith } from '../../test/support/settings.js';
import { Invalid } from '../errors/index.js';
import { readInput } from '../http/input/input.pipe.js';
import { parseJson } from '../json/exact-json.js';
import { QueryDto, toQueryRequest } from './query.dto.js';
import type { QueryRequest } from './query.types.js';

const read = (body: object): QueryRequest['turn'] =>
  toQueryRequest(readInput(QueryDto, { query: 'Why?', ...body }, ['body'], settingsWith())).turn;

function problems(body: object): string[] {
  try {
    read(body);
    return [];
  } catch (error) {
    if (error instanceof Invalid)
      return error.items.map(({ loc, type }) => `${loc.slice(1).join('.')} ${type}`);
    throw error;
  }
}

describe('llm_config of a request', () => {
  it('accepts every field', () => {
    const { llmConfig } = read({
      llm_config: {
        model: 'openai/gpt-4o',
        api_key: 'sk-x',
        api_base: 'https://x.example',
        api_version: '2024-10-21',
        deployment_id: 'd',
        temperature: 0.5,
        max_tokens: 10,
        top_p: 1,
        stop: ['a', 'b'],
        seed: 7,
        presence_penalty: -2,
        frequency_penalty: 2,
        reasoning_effort: 'low',
        timeout: 1.5,
        num_retries: 0,
        extra_headers: { 'X-Title': 'me' },
        vision: true,
        context_window: 4096,
      },
    });
    expect(llmConfig).toEqual({
      model: 'openai/gpt-4o',
      apiKey: 'sk-x',
      apiBase: 'https://x.example',
      apiVersion: '2024-10-21',
      deployment: 'd',
      maxTokens: 10,
      timeoutMs: 1500,
      retries: 0,
      extraHeaders: { 'X-Title': 'me' },
      vision: true,
      contextWindow: 4096,
      sampling: {
        temperature: 0.5,
        top_p: 1,
        stop: ['a', 'b'],
        seed: 7,
        presence_penalty: -2,
        frequency_penalty: 2,
        reasoning_effort: 'low',
      },
    });
  });

  it('accepts aliases and omits fields that were not sent', () => {
    const { llmConfig } = read({ llm_config: { model_name: 'openai/x', base_url: 'https://x.example' } });
    expect(llmConfig).toEqual({ model: 'openai/x', apiBase: 'https://x.example', sampling: {} });
  });

  it.each<[unknown, string[]]>([
    ['text', ['llm_config dict_type']],
    [{ modle: 'x' }, ['llm_config.modle extra_forbidden']],
    [{ constructor: 'x' }, ['llm_config.constructor extra_forbidden']],
    [{ model: 3, temperature: 'hot' }, ['llm_config.model string_type', 'llm_config.temperature float_type']],
    [{ temperature: 2.1 }, ['llm_config.temperature less_than_equal']],
    [{ max_tokens: 0 }, ['llm_config.max_tokens greater_than']],
    [{ max_tokens: 1.5 }, ['llm_config.max_tokens int_type']],
    [{ stop: ['a', 1] }, ['llm_config.stop.1 string_type']],
    [{ timeout: 0 }, ['llm_config.timeout greater_than']],
    [{ vision: 'yes' }, ['llm_config.vision bool_type']],
    [{ extra_headers: { Host: 'x' } }, ['llm_config.extra_headers.Host value_error']],
    [{ extra_headers: { Authorization: 'x' } }, ['llm_config.extra_headers.Authorization value_error']],
    [{ extra_headers: { 'X-A': 'a\r\nHost: b' } }, ['llm_config.extra_headers.X-A value_error']],
    [{ api_key: 'sk\nx' }, ['llm_config.api_key value_error']],
    [{ model: 'a', model_name: 'b' }, ['llm_config.model_name value_error']],
    [{ model: null }, ['llm_config.model string_type']],
  ])('refuses %j', (config, expected) => {
    expect(problems({ llm_config: config })).toEqual(expected);
  });
});

describe('schema of a request', () => {
  it.each([true, false, {}, { type: 'object', properties: { a: { type: 'array' } } }, null])(
    'may be %j',
    (schema) => {
      expect(read({ schema }).schema).toEqual(schema);
    },
  );

  it.each<[unknown, string]>([
    ['text', 'schema value_error'],
    [[], 'schema value_error'],
    [{ type: 'nope' }, 'schema value_error'],
    [{ properties: { a: { $ref: 'https://x.example' } } }, 'schema.properties.a.$ref value_error'],
    [{ $schema: 'http://json-schema.org/draft-04/schema#' }, 'schema.$schema value_error'],
    [{ description: 'x'.repeat(70_000) }, 'schema value_error'],
  ])('is refused as %.80j', (schema, expected) => {
    expect(problems({ schema })).toEqual([expected]);
  });

  it('may contain numbers beyond the precision of a double', () => {
    const schema = parseJson('{"maximum": 100000000000000000001}');
    expect(read({ schema }).schema).toEqual({ maximum: 1e20 });
  });
});

describe('prompt_overrides of a request', () => {
  it.each<[unknown, string]>([
    [{ other: {} }, 'prompt_overrides.other extra_forbidden'],
    [{ query: { other: 1 } }, 'prompt_overrides.query.other extra_forbidden'],
    [{ query: { prompt_template: '{question}' } }, 'prompt_overrides.query.prompt_template value_error'],
    [
      { query: { prompt_template: `{question}${'{context}'.repeat(9)}` } },
      'prompt_overrides.query.prompt_template value_error',
    ],
    [
      { entity_extraction: { examples: [{ label: 'a', type: 'B', more: 1 }] } },
      'prompt_overrides.entity_extraction.examples.0.more extra_forbidden',
    ],
    [
      { entity_resolution: { examples: [{ canonical: 'a' }] } },
      'prompt_overrides.entity_resolution.examples.0.variants missing',
    ],
  ])('are refused as %j', (overrides, expected) => {
    expect(problems({ prompt_overrides: overrides })).toEqual([expected]);
  });
});
