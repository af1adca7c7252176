import { BadRequest, Invalid, type InvalidItem, NotFound, Unauthorized } from '../errors/index.js';
import { describeError } from './describe-error.js';
import { errorAnswer } from './openai-error.js';

const answerTo = (error: unknown, url = '/v1/chat/completions') =>
  errorAnswer(url, describeError(error, 'abc'));

describe('an error under /v1', () => {
  it.each<[InvalidItem['type'], string]>([
    ['missing', 'missing_required_parameter'],
    ['extra_forbidden', 'unknown_parameter'],
    ['list_type', 'invalid_type'],
    ['enum', 'invalid_value'],
    ['value_error', 'invalid_value'],
  ])('has status 400 and names the first invalid field: %s', (type, code) => {
    const items: InvalidItem[] = [
      { loc: ['body', 'messages', 0, 'content'], msg: 'No', type },
      { loc: ['body', 'k'], msg: 'Neither', type: 'int_type' },
    ];
    expect(answerTo(new Invalid(items))).toEqual({
      status: 400,
      body: {
        detail: items,
        error: {
          message: 'messages.0.content: No; k: Neither',
          type: 'invalid_request_error',
          param: 'messages.0.content',
          code,
        },
      },
    });
  });

  it.each<[InvalidItem, string]>([
    [{ loc: ['body', 17], msg: 'JSON decode error', type: 'json_invalid' }, 'invalid_json'],
    [{ loc: ['body'], msg: 'Input should be a valid dictionary', type: 'dict_type' }, 'invalid_type'],
  ])('names no field if the whole body is invalid: %j', (item, code) => {
    expect(answerTo(new Invalid([item]))).toMatchObject({
      status: 400,
      body: { error: { message: item.msg, param: null, code } },
    });
  });

  it.each<[unknown, number, string, string | null, string | null]>([
    [new Unauthorized('No key'), 401, 'authentication_error', 'invalid_api_key', null],
    [new NotFound('Nothing'), 404, 'not_found_error', null, null],
    [
      new NotFound('Nothing', undefined, { code: 'model_not_found', param: 'model' }),
      ...([404, 'not_found_error', 'model_not_found', 'model'] as const),
    ],
    [
      new BadRequest('No', undefined, { code: 'previous_response_not_found', param: 'previous_response_id' }),
      ...([400, 'invalid_request_error', 'previous_response_not_found', 'previous_response_id'] as const),
    ],
    [new Error('secret'), 500, 'server_error', null, null],
  ])('has a code that is a string or null: %s', (thrown, status, type, code, param) => {
    const answer = answerTo(thrown);
    expect(answer).toMatchObject({ status, body: { error: { type, code, param } } });
    expect(JSON.stringify(answer)).not.toContain('secret');
  });

  it('keeps its format on other routes if it has a code of the protocol', () => {
    const error = new NotFound('The base URL', undefined, { code: 'unknown_url' });
    expect(answerTo(error, '/vector_stores')).toEqual({
      status: 404,
      body: {
        detail: 'The base URL',
        error: { message: 'The base URL', type: 'not_found_error', param: null, code: 'unknown_url' },
      },
    });
  });

  it('has status 422 and only `detail` on other routes', () => {
    const items: InvalidItem[] = [{ loc: ['body', 'k'], msg: 'No', type: 'int_type' }];
    expect(answerTo(new Invalid(items), '/query')).toEqual({ status: 422, body: { detail: items } });
  });
});
