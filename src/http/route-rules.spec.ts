import { fastify } from 'fastify';
import { requireRules } from './routes.js';

describe('a route', () => {
  it('without declared access prevents the start', () => {
    const server = fastify();
    requireRules(server);
    expect(() => server.get('/secret', () => 'x')).toThrow(
      'GET /secret declares no permission: give its method a @Route decorator',
    );
  });

  it('with declared access is accepted, and so is the documentation', () => {
    const server = fastify();
    requireRules(server);
    server.get('/read', { config: { access: 'read', multipart: false } }, () => 'x');
    server.get('/open', { config: { access: 'open', multipart: false } }, () => 'x');
    server.get('/docs/swagger-ui.css', () => 'x');
    server.get('/openapi.json', () => 'x');
    expect(server.hasRoute({ method: 'GET', url: '/read' })).toBe(true);
  });

  it('needs declared access even if its path looks like documentation', () => {
    const server = fastify();
    requireRules(server);
    expect(() => server.get('/documents', () => 'x')).toThrow('declares no permission');
  });
});
