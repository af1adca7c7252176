import { fastify } from 'fastify';
import { requireRules } from './routes.js';

describe('a route', () => {
  it('that does not say who may call it stops the start', () => {
    const server = fastify();
    requireRules(server);
    expect(() => server.get('/secret', () => 'x')).toThrow(
      'GET /secret declares no permission: give its method a @Route decorator',
    );
  });

  it('that does may be registered, and so may the documentation', () => {
    const server = fastify();
    requireRules(server);
    server.get('/read', { config: { access: 'read', multipart: false } }, () => 'x');
    server.get('/open', { config: { access: 'open', multipart: false } }, () => 'x');
    server.get('/docs/swagger-ui.css', () => 'x');
    server.get('/openapi.json', () => 'x');
    expect(server.hasRoute({ method: 'GET', url: '/read' })).toBe(true);
  });

  it('is not excused by a path that looks like documentation', () => {
    const server = fastify();
    requireRules(server);
    expect(() => server.get('/documents', () => 'x')).toThrow('declares no permission');
  });
});
