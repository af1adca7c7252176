import { fastify, type FastifyInstance } from 'fastify';
import { scopeOf, type Scope } from '../auth/scope.js';
import { sendError } from './error.filter.js';
import { DataSource } from 'typeorm';
import { settingsWith } from '../../test/support/settings.js';
import { RateLimit } from './rate-limit.js';

/** Without DATABASE_URL the limit counts in memory and sends no statement. */
const limitOf = (perMinute: number): RateLimit =>
  new RateLimit(
    settingsWith({ RATE_LIMIT_PER_MINUTE: String(perMinute) }),
    new DataSource({ type: 'postgres' }),
  );

/** Returns a server that reads tenant and key of the caller from a header, as `tenant/key`. */
function serverWith(perMinute: number): FastifyInstance {
  const server = fastify();
  server.setErrorHandler(sendError);
  server.decorateRequest('scope', null);
  server.addHook('onRequest', (request, _reply, done) => {
    const [appId, keyId] = String(request.headers['x-caller'] ?? '').split('/');
    const scope: Scope | null = appId && keyId ? scopeOf(appId, ['read'], keyId) : null;
    request.scope = scope;
    done();
  });
  limitOf(perMinute).install(server);
  server.get('/', () => 'ok');
  return server;
}

const call = (server: FastifyInstance, caller?: string) =>
  server.inject({ url: '/', headers: caller === undefined ? {} : { 'x-caller': caller } });

describe('the rate limit', () => {
  it('counts each key of each tenant separately, and returns Retry-After', async () => {
    const server = serverWith(2);
    expect((await call(server, 'a/1')).statusCode).toBe(200);
    expect((await call(server, 'a/1')).statusCode).toBe(200);
    const refused = await call(server, 'a/1');
    expect(refused.statusCode).toBe(429);
    expect(refused.json()).toEqual({ detail: 'More than 2 requests in a minute with this key' });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60);
    expect((await call(server, 'a/2')).statusCode).toBe(200);
    expect((await call(server, 'b/1')).statusCode).toBe(200);
  });

  it('does not apply to open routes and services without keys', async () => {
    const server = serverWith(1);
    for (const caller of [undefined, undefined, 'default/none', 'default/none']) {
      expect((await call(server, caller)).statusCode).toBe(200);
    }
  });

  it('counts each call of a request that carries several', async () => {
    const limit = limitOf(10);
    const scope = scopeOf('a', ['read'], '1');
    await limit.count(scope, 9);
    await limit.count(scope);
    await expect(limit.count(scope)).rejects.toMatchObject({ status: 429 });
    await expect(limit.count(scopeOf('a', ['read'], '2'), 11)).rejects.toMatchObject({ status: 429 });
  });

  it('is disabled with 0', async () => {
    const server = serverWith(0);
    for (let i = 0; i < 5; i++) expect((await call(server, 'a/1')).statusCode).toBe(200);
  });
});
