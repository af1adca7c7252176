import { fastify, type FastifyInstance } from 'fastify';
import { printJson } from '../json/exact-json.js';
import { sendError } from './error.filter.js';
import { registerJsonBodies } from './json-body.js';

const LIMIT = 1_000;

describe('a JSON body', () => {
  let server: FastifyInstance;
  beforeAll(async () => {
    server = fastify({ bodyLimit: LIMIT });
    registerJsonBodies(server);
    server.setErrorHandler(sendError);
    server.setReplySerializer((payload) => printJson(payload));
    server.route({
      method: ['GET', 'POST', 'DELETE'],
      url: '/echo',
      handler: (request) => ({ body: request.body ?? 'none' }),
    });
    await server.ready();
  });
  afterAll(() => server.close());

  async function send(
    payload: string | Buffer,
    type = 'application/json',
    method: 'POST' | 'DELETE' | 'GET' = 'POST',
  ) {
    const response = await server.inject({
      method,
      url: '/echo',
      headers: { 'content-type': type },
      payload,
    });
    return { status: response.statusCode, text: response.body };
  }

  it('keeps every digit, __proto__ keys and the last of two equal keys', async () => {
    const { status, text } = await send('{"__proto__":{"a":9007199254740993},"b":1,"b":2}');
    expect([status, text]).toEqual([200, '{"body":{"__proto__":{"a":9007199254740993},"b":2}}']);
  });

  it.each(['POST', 'DELETE', 'GET'] as const)(
    'may be empty on %s despite its content type',
    async (method) => {
      expect(await send('', 'application/json', method)).toEqual({ status: 200, text: '{"body":"none"}' });
    },
  );

  it.each([
    ['{"a": }', 6],
    ['{bad', 1],
    ['nonsense', 0],
    ['{"a":1', 6],
    ['{"a":1,}', 7],
    ['{"a":NaN}', 5],
    [' ', 1],
    ['[1,2', 4],
  ])('is json_invalid at the position of the syntax error: %s', async (payload, position) => {
    const { status, text } = await send(payload);
    expect(status).toBe(422);
    expect(JSON.parse(text)).toEqual({
      detail: [{ loc: ['body', position], msg: 'JSON decode error', type: 'json_invalid' }],
    });
  });

  it('is json_invalid unless it is UTF-8', async () => {
    const { status, text } = await send(Buffer.from([0x22, 0x61, 0xff, 0x22]));
    expect([status, text]).toEqual([
      422,
      '{"detail":[{"loc":["body",2],"msg":"JSON decode error","type":"json_invalid"}]}',
    ]);
  });

  it.each([
    'application/json; charset=utf-8',
    'application/vnd.api+json',
    'application/vnd.api+json; charset=utf-8',
    'application/problem+json;charset=utf-8',
    'APPLICATION/JSON',
  ])('is accepted as %s', async (type) => {
    expect((await send('{}', type)).status).toBe(200);
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/xml',
    'application/x+jsonp',
    'nonsense',
  ])('is rejected as %s', async (type) => {
    const { status, text } = await send('{}', type);
    expect([status, JSON.parse(text)]).toEqual([
      415,
      { detail: 'The content type is not supported by this endpoint' },
    ]);
  });

  it('is accepted up to the limit', async () => {
    expect((await send(`"${'x'.repeat(LIMIT - 2)}"`)).status).toBe(200);
    const { status, text } = await send(`"${'x'.repeat(LIMIT - 1)}"`);
    expect([status, JSON.parse(text)]).toEqual([413, { detail: 'The request body is too large' }]);
  });
});
