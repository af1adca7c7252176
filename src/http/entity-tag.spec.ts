import Fastify from 'fastify';
import { entityTagOf, installEntityTags } from './entity-tag.js';

describe('entity tags', () => {
  const fastify = Fastify();
  installEntityTags(fastify);
  let title = 'one';
  fastify.get('/record', () => ({ title }));
  fastify.post('/search', () => ({ title }));
  fastify.get('/refused', (_request, reply) => reply.status(409).send({ detail: 'no' }));
  fastify.get('/words', (_request, reply) => reply.type('text/plain').send('words'));
  afterAll(() => fastify.close());

  const get = (url: string, known?: string) =>
    fastify.inject({ url, headers: known === undefined ? {} : { 'if-none-match': known } });

  it('answer with 304 and no body until the content changes', async () => {
    const first = await get('/record');
    const tag = String(first.headers.etag);
    expect(tag).toBe(entityTagOf(first.body));
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const same = await get('/record', known);
      expect([same.statusCode, same.body, same.headers.etag]).toEqual([304, '', tag]);
      expect(same.headers).not.toHaveProperty('content-type');
    }
    title = 'two';
    const changed = await get('/record', tag);
    expect([changed.statusCode, changed.json()]).toEqual([200, { title: 'two' }]);
    expect(changed.headers.etag).not.toBe(tag);
  });

  it('are the same for HEAD', async () => {
    const { etag } = (await get('/record')).headers;
    expect((await fastify.inject({ method: 'HEAD', url: '/record' })).headers.etag).toBe(etag);
  });

  it('are left out of errors, of other content, and of requests that do more than read', async () => {
    expect((await get('/refused', '*')).statusCode).toBe(409);
    expect((await get('/words', '*')).body).toBe('words');
    const search = await fastify.inject({
      method: 'POST',
      url: '/search',
      headers: { 'if-none-match': '*' },
    });
    expect([search.statusCode, search.headers.etag]).toEqual([200, undefined]);
  });
});
