import { fastify } from 'fastify';
import { answerProbesOnly } from './routes.js';

describe('a worker process', () => {
  const server = fastify();
  answerProbesOnly(server);
  server.get('/health/ready', () => 'ready');
  server.get('/metrics', () => 'measures');
  server.get('/documents/:document_id', () => 'a document');
  const status = async (url: string): Promise<number> => (await server.inject(url)).statusCode;
  afterAll(() => server.close());

  it('serves probes and metrics, with any query string', async () => {
    expect(await status('/health/ready')).toBe(200);
    expect(await status('/metrics?x=1')).toBe(200);
  });

  it.each(['/documents/1', '/documents/health', '/', '/nowhere'])('does not serve %s', async (path) => {
    // The error filter converts this error to a 404 (test/ingestion/worker.e2e.ts).
    const answer = await server.inject(path);
    expect(answer.statusCode).not.toBe(200);
    expect(answer.body).toContain('WORKER=only');
  });
});
