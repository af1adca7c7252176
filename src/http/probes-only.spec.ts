import { fastify } from 'fastify';
import { answerProbesOnly } from './routes.js';

describe('a process that only works', () => {
  const server = fastify();
  answerProbesOnly(server);
  server.get('/health/ready', () => 'ready');
  server.get('/metrics', () => 'measures');
  server.get('/documents/:document_id', () => 'a document');
  const status = async (url: string): Promise<number> => (await server.inject(url)).statusCode;
  afterAll(() => server.close());

  it('answers probes and gives its measures, whatever the query string', async () => {
    expect(await status('/health/ready')).toBe(200);
    expect(await status('/metrics?x=1')).toBe(200);
  });

  it.each(['/documents/1', '/documents/health', '/', '/nowhere'])('knows nothing of %s', async (path) => {
    // The error filter makes a 404 of it (test/ingestion/worker.e2e.ts).
    const answer = await server.inject(path);
    expect(answer.statusCode).not.toBe(200);
    expect(answer.body).toContain('WORKER=only');
  });
});
