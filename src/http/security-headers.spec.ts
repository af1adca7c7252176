import Fastify from 'fastify';
import { installSecurityHeaders } from './security-headers.js';

describe('security headers', () => {
  const fastify = Fastify();
  installSecurityHeaders(fastify);
  fastify.get('/json', () => ({ ok: true }));
  fastify.get('/own', (_request, reply) => reply.header('cache-control', 'private, no-cache').send({}));
  fastify.get('/file', (_request, reply) => reply.type('application/pdf').send(Buffer.from('%PDF')));
  afterAll(() => fastify.close());

  it('keep browsers from caching, framing and guessing JSON, including errors', async () => {
    for (const url of ['/json', '/missing']) {
      const { headers } = await fastify.inject(url);
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'content-security-policy':
          "default-src 'none'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'",
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
      });
    }
  });

  it('leave headers of the route, and add no policy to files', async () => {
    expect((await fastify.inject('/own')).headers['cache-control']).toBe('private, no-cache');
    const { headers } = await fastify.inject('/file');
    expect(headers).not.toHaveProperty('content-security-policy');
    expect(headers).not.toHaveProperty('cache-control');
    expect(headers['x-content-type-options']).toBe('nosniff');
  });
});
