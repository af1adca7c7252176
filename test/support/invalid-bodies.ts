import type { InvalidItem } from '../../src/errors/index.js';

export interface InvalidCase {
  readonly why: string;
  readonly body: unknown;
  readonly items: readonly InvalidItem[];
}

const at = (type: InvalidItem['type'], msg: string, ...path: readonly (string | number)[]): InvalidItem => ({
  loc: ['body', ...path],
  msg,
  type,
});

const UNSTORABLE = 'Value error, text must not contain U+0000 or lone surrogates';

/** Invalid bodies of POST /retrieve/chunks/grouped and POST /query, with the exact errors. */
export const INVALID_RETRIEVALS: readonly InvalidCase[] = [
  {
    why: 'neither query nor image',
    body: {},
    items: [at('value_error', 'Value error, query or query_image is required')],
  },
  {
    why: 'both null',
    body: { query: null, query_image: null },
    items: [at('value_error', 'Value error, query or query_image is required')],
  },
  {
    why: 'query and image',
    body: { query: 'a', query_image: 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7' },
    items: [at('value_error', 'Value error, query and query_image exclude each other: set one of them')],
  },
  {
    why: 'an image without use_colpali',
    body: { query_image: 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7' },
    items: [at('value_error', 'Value error, query_image requires use_colpali: true')],
  },
  {
    why: 'an image that is not base64',
    body: { query_image: 'not base64!', use_colpali: true },
    items: [at('value_error', 'Value error, the image is not base64', 'query_image')],
  },
  {
    why: 'base64 that is not an image',
    body: { query_image: 'aGVsbG8gd29ybGQsIGhlbGxv', use_colpali: true },
    items: [at('value_error', 'Value error, not a PNG, JPEG, WebP, GIF, BMP or TIFF image', 'query_image')],
  },
  {
    why: 'an empty query',
    body: { query: '' },
    items: [at('string_too_short', 'String should have at least 1 character', 'query')],
  },
  {
    why: 'a query that is a number',
    body: { query: 5 },
    items: [at('string_type', 'Input should be a valid string', 'query')],
  },
  { why: 'U+0000 in the query', body: { query: 'a\0' }, items: [at('value_error', UNSTORABLE, 'query')] },
  {
    why: 'half a surrogate pair in the query',
    body: { query: 'a\ud800' },
    items: [at('value_error', UNSTORABLE, 'query')],
  },
  {
    why: 'k of zero',
    body: { query: 'a', k: 0 },
    items: [at('greater_than', 'Input should be greater than 0', 'k')],
  },
  {
    why: 'k over the bound',
    body: { query: 'a', k: 1_001 },
    items: [at('less_than_equal', 'Input should be less than or equal to 1000', 'k')],
  },
  {
    why: 'k with a fraction',
    body: { query: 'a', k: 1.5 },
    items: [at('int_type', 'Input should be a valid integer', 'k')],
  },
  {
    why: 'k in a string',
    body: { query: 'a', k: '4' },
    items: [at('int_type', 'Input should be a valid integer', 'k')],
  },
  {
    why: 'k of null',
    body: { query: 'a', k: null },
    items: [at('int_type', 'Input should be a valid integer', 'k')],
  },
  {
    why: 'k of true',
    body: { query: 'a', k: true },
    items: [at('int_type', 'Input should be a valid integer', 'k')],
  },
  {
    why: 'min_score of null',
    body: { query: 'a', min_score: null },
    items: [at('float_type', 'Input should be a valid number', 'min_score')],
  },
  {
    why: 'min_score in a string',
    body: { query: 'a', min_score: '0.5' },
    items: [at('float_type', 'Input should be a valid number', 'min_score')],
  },
  {
    why: 'use_reranking in a string',
    body: { query: 'a', use_reranking: 'true' },
    items: [at('bool_type', 'Input should be a valid boolean', 'use_reranking')],
  },
  {
    why: 'use_colpali of 1',
    body: { query: 'a', use_colpali: 1 },
    items: [at('bool_type', 'Input should be a valid boolean', 'use_colpali')],
  },
  {
    why: 'an unknown output format',
    body: { query: 'a', output_format: 'png' },
    items: [at('enum', "Input should be 'base64', 'url' or 'text'", 'output_format')],
  },
  {
    why: 'negative padding',
    body: { query: 'a', padding: -1 },
    items: [at('greater_than_equal', 'Input should be greater than or equal to 0', 'padding')],
  },
  {
    why: 'padding over the bound',
    body: { query: 'a', padding: 101 },
    items: [at('less_than_equal', 'Input should be less than or equal to 100', 'padding')],
  },
  {
    why: 'k and padding over their joint bound',
    body: { query: 'a', k: 501, padding: 10 },
    items: [at('value_error', 'Value error, k and padding request more than 10000 neighbours', 'padding')],
  },
  {
    why: 'a folder that is a number',
    body: { query: 'a', folder_name: 7 },
    items: [at('string_type', 'Input should be a valid string', 'folder_name')],
  },
  {
    why: 'folders of which two are not text',
    body: { query: 'a', folder_name: ['/a', null, 3] },
    items: [
      at('string_type', 'Input should be a valid string', 'folder_name', 1),
      at('string_type', 'Input should be a valid string', 'folder_name', 2),
    ],
  },
  {
    why: 'a folder path with ".."',
    body: { query: 'a', folder_name: ['/a', '/a/../b'] },
    items: [at('value_error', 'a folder path expects no "..", got one', 'folder_name', 1)],
  },
  {
    why: 'a depth below -1',
    body: { query: 'a', folder_depth: -2 },
    items: [at('greater_than_equal', 'Input should be greater than or equal to -1', 'folder_depth')],
  },
  {
    why: 'filters in an array',
    body: { query: 'a', filters: [] },
    items: [at('dict_type', 'Input should be a valid dictionary', 'filters')],
  },
  {
    why: 'an end user that is an object',
    body: { query: 'a', end_user_id: {} },
    items: [at('string_type', 'Input should be a valid string', 'end_user_id')],
  },
  {
    why: 'many errors, in field order, errors of the whole object last',
    body: { end_user_id: 1, padding: 'x', k: -1, min_score: {} },
    items: [
      at('greater_than', 'Input should be greater than 0', 'k'),
      at('float_type', 'Input should be a valid number', 'min_score'),
      at('int_type', 'Input should be a valid integer', 'padding'),
      at('string_type', 'Input should be a valid string', 'end_user_id'),
      at('value_error', 'Value error, query or query_image is required'),
    ],
  },
  { why: 'an array', body: [], items: [at('dict_type', 'Input should be a valid dictionary')] },
  { why: 'null', body: null, items: [at('dict_type', 'Input should be a valid dictionary')] },
  { why: 'a string', body: 'query', items: [at('dict_type', 'Input should be a valid dictionary')] },
];

const extra = (...path: readonly (string | number)[]): InvalidItem =>
  at('extra_forbidden', 'Extra inputs are not permitted', ...path);

/** Further invalid bodies of POST /query. */
export const INVALID_QUERIES: readonly InvalidCase[] = [
  {
    why: 'max_tokens of zero',
    body: { query: 'a', max_tokens: 0 },
    items: [at('greater_than', 'Input should be greater than 0', 'max_tokens')],
  },
  {
    why: 'a temperature over 2',
    body: { query: 'a', temperature: 2.1 },
    items: [at('less_than_equal', 'Input should be less than or equal to 2', 'temperature')],
  },
  {
    why: 'a negative temperature',
    body: { query: 'a', temperature: -0.1 },
    items: [at('greater_than_equal', 'Input should be greater than or equal to 0', 'temperature')],
  },
  {
    why: 'an empty chat id',
    body: { query: 'a', chat_id: '' },
    items: [at('string_too_short', 'String should have at least 1 character', 'chat_id')],
  },
  {
    why: 'a chat id of 257 characters',
    body: { query: 'a', chat_id: 'x'.repeat(257) },
    items: [at('value_error', 'Value error, String should have at most 256 characters', 'chat_id')],
  },
  {
    why: 'a stream flag in a string',
    body: { query: 'a', stream_response: 'yes' },
    items: [at('bool_type', 'Input should be a valid boolean', 'stream_response')],
  },
  {
    why: 'prompt overrides in a string',
    body: { query: 'a', prompt_overrides: 'be brief' },
    items: [at('dict_type', 'Input should be a valid dictionary', 'prompt_overrides')],
  },
  {
    why: 'an unknown override',
    body: { query: 'a', prompt_overrides: { summary: null } },
    items: [extra('prompt_overrides', 'summary')],
  },
  {
    why: 'unknown members at every level of the overrides, __proto__ among them',
    body: JSON.parse(
      '{"query":"a","prompt_overrides":{"__proto__":{},"entity_extraction":{"constructor":1,"examples":[{"label":"a","type":"b","extra":1}]}}}',
    ) as unknown,
    items: [
      extra('prompt_overrides', 'entity_extraction', 'examples', 0, 'extra'),
      extra('prompt_overrides', 'entity_extraction', 'constructor'),
      extra('prompt_overrides', '__proto__'),
    ],
  },
  {
    why: 'a template without its placeholders',
    body: { query: 'a', prompt_overrides: { query: { prompt_template: 'Answer {question}' } } },
    items: [
      at(
        'value_error',
        'Value error, the template lacks {context}',
        'prompt_overrides',
        'query',
        'prompt_template',
      ),
    ],
  },
  {
    why: 'an extraction template without any placeholder',
    body: { query: 'a', prompt_overrides: { entity_extraction: { prompt_template: '' } } },
    items: [
      at(
        'value_error',
        'Value error, the template lacks {content} and {examples}',
        'prompt_overrides',
        'entity_extraction',
        'prompt_template',
      ),
    ],
  },
  {
    why: 'a resolution template without its examples',
    body: { query: 'a', prompt_overrides: { entity_resolution: { prompt_template: '{entities_str}' } } },
    items: [
      at(
        'value_error',
        'Value error, the template lacks {examples_json}',
        'prompt_overrides',
        'entity_resolution',
        'prompt_template',
      ),
    ],
  },
  {
    why: 'examples that lack members',
    body: {
      query: 'a',
      prompt_overrides: { entity_resolution: { examples: [{ canonical: 'A' }, {}, 'x'] } },
    },
    items: [
      at('missing', 'Field required', 'prompt_overrides', 'entity_resolution', 'examples', 0, 'variants'),
      at('missing', 'Field required', 'prompt_overrides', 'entity_resolution', 'examples', 1, 'canonical'),
      at('missing', 'Field required', 'prompt_overrides', 'entity_resolution', 'examples', 1, 'variants'),
      at(
        'dict_type',
        'Input should be a valid dictionary',
        'prompt_overrides',
        'entity_resolution',
        'examples',
        2,
      ),
    ],
  },
  {
    why: 'variants that are not text',
    body: {
      query: 'a',
      prompt_overrides: { entity_resolution: { examples: [{ canonical: 'A', variants: ['a', 1] }] } },
    },
    items: [
      at(
        'string_type',
        'Input should be a valid string',
        'prompt_overrides',
        'entity_resolution',
        'examples',
        0,
        'variants',
        1,
      ),
    ],
  },
  {
    why: 'examples in an object',
    body: { query: 'a', prompt_overrides: { entity_extraction: { examples: {} } } },
    items: [
      at('list_type', 'Input should be a valid list', 'prompt_overrides', 'entity_extraction', 'examples'),
    ],
  },
  {
    why: 'an unknown key of llm_config',
    body: { query: 'a', llm_config: { model: 'openai/x', organisation: 'y' } },
    items: [extra('llm_config', 'organisation')],
  },
  {
    why: 'null in llm_config',
    body: { query: 'a', llm_config: { model: null } },
    items: [at('string_type', 'Input should be a valid string', 'llm_config', 'model')],
  },
  {
    why: 'aliases that differ',
    body: { query: 'a', llm_config: { model: 'a', model_name: 'b' } },
    items: [
      at(
        'value_error',
        'Value error, model_name is an alias of model and differs from it',
        'llm_config',
        'model_name',
      ),
    ],
  },
  {
    why: 'a header that would break the request to the provider',
    body: { query: 'a', llm_config: { extra_headers: { 'x-a': 'b\r\nc: d' } } },
    items: [at('value_error', 'Value error, not a valid HTTP header', 'llm_config', 'extra_headers', 'x-a')],
  },
  {
    why: 'a schema that is a list',
    body: { query: 'a', schema: [] },
    items: [at('value_error', 'Value error, a JSON Schema must be an object or a boolean', 'schema')],
  },
];

/** Invalid bodies of POST /documents/{document_id}/update_text. */
export const INVALID_UPDATES: readonly InvalidCase[] = [
  { why: 'no content', body: {}, items: [at('missing', 'Field required', 'content')] },
  {
    why: 'content of null',
    body: { content: null },
    items: [at('string_type', 'Input should be a valid string', 'content')],
  },
  {
    why: 'blank content',
    body: { content: ' \n\t' },
    items: [at('value_error', 'Value error, text must not be blank', 'content')],
  },
  {
    why: 'U+0000 in the content',
    body: { content: 'a\0' },
    items: [at('value_error', UNSTORABLE, 'content')],
  },
  {
    why: 'a filename that is a number',
    body: { content: 'a', filename: 1 },
    items: [at('string_type', 'Input should be a valid string', 'filename')],
  },
  {
    why: 'metadata of null',
    body: { content: 'a', metadata: null },
    items: [at('dict_type', 'Input should be a valid dictionary', 'metadata')],
  },
  {
    why: 'half a surrogate pair deep in the metadata and in a key of it',
    body: { content: 'a', metadata: { a: [{ b: '\udc00' }], '\ud800': 1 } },
    items: [
      at('value_error', UNSTORABLE, 'metadata', 'a', 0, 'b'),
      at('value_error', UNSTORABLE, 'metadata', '\ud800'),
    ],
  },
  {
    why: 'metadata that is not of its declared type',
    body: { content: 'a', metadata: { when: 'soon' }, metadata_types: { when: 'date' } },
    items: [
      at(
        'value_error',
        'the declared type date expects an ISO 8601 date or date-time or seconds since 1970, got the string "soon"',
        'metadata',
        'when',
      ),
    ],
  },
  {
    why: 'metadata types that are not text',
    body: { content: 'a', metadata_types: { a: 1 } },
    items: [at('string_type', 'Input should be a valid string', 'metadata_types', 'a')],
  },
  {
    why: 'rules of null',
    body: { content: 'a', rules: null },
    items: [at('list_type', 'Input should be a valid list', 'rules')],
  },
  {
    why: 'rules of unknown kinds',
    body: { content: 'a', rules: [{ type: 'redact' }, {}, 'x'] },
    items: [
      at('enum', "Input should be 'metadata_extraction' or 'natural_language'", 'rules', 0, 'type'),
      at('missing', 'Field required', 'rules', 1, 'type'),
      at('dict_type', 'Input should be a valid dictionary', 'rules', 2),
    ],
  },
  {
    why: 'a rule that lacks its prompt and has an unknown stage',
    body: { content: 'a', rules: [{ type: 'natural_language', stage: 'later' }] },
    items: [
      at('missing', 'Field required', 'rules', 0, 'prompt'),
      at('enum', "Input should be 'post_parsing' or 'post_chunking'", 'rules', 0, 'stage'),
    ],
  },
  {
    why: 'use_colpali in a string',
    body: { content: 'a', use_colpali: 'false' },
    items: [at('bool_type', 'Input should be a valid boolean', 'use_colpali')],
  },
  { why: 'a list', body: ['a'], items: [at('dict_type', 'Input should be a valid dictionary')] },
];
