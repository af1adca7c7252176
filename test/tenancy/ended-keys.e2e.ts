import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '../support/client.js';
import { CompletionService } from '../support/completion-service.js';
import { Documents } from '../support/documents.js';
import { until } from '../support/until.js';
import { ServiceProcess } from '../support/process.js';
import { onServer } from '../support/server-database.js';

const QUESTION = 'When does the harbour open?';
const STREAM = { query: QUESTION, stream_response: true };

type Door = readonly [string, (client: Client) => Promise<Response>];

const STREAMS: readonly Door[] = [
  ['a stream of POST /query', (client) => client.fetch('POST', '/query', { body: STREAM })],
  [
    'a stream of chat completions',
    (client) =>
      client.fetch('POST', '/v1/chat/completions', {
        body: { model: 'lectern', stream: true, messages: [{ role: 'user', content: QUESTION }] },
      }),
  ],
  [
    'a stream of responses',
    (client) =>
      client.fetch('POST', '/v1/responses', { body: { model: 'lectern', stream: true, input: QUESTION } }),
  ],
];

const WHOLE: readonly Door[] = [
  ['POST /query', (client) => client.fetch('POST', '/query', { body: { query: QUESTION } })],
  [
    'the tool ask of MCP',
    (client) =>
      client.fetch('POST', '/mcp', {
        headers: { accept: 'application/json, text/event-stream' },
        body: {
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'ask', arguments: { query: QUESTION } },
        },
      }),
  ],
];

/** Doors with a model that stops in the middle of a stream or before an answer, and never goes on. */
describe.each([
  ['halfway:never', STREAMS],
  ['holds:never', WHOLE],
])('a key that ends, with the model %s,', (model, doors) => {
  let completion: CompletionService;
  beforeAll(async () => {
    completion = await CompletionService.start({ LLM_MODEL: `hosted_vllm/${model}` });
    await new Documents(() => completion.service.client).ingestText('The harbour opens at six.');
  });
  beforeEach(() => {
    completion.provider.forget();
  });
  afterAll(() => completion.stop());

  const keyOf = async (): Promise<{ id: string; client: Client }> => {
    const answer = await completion.service.client.post('/keys', {
      name: 'k',
      scopes: ['read', 'query'],
      end_user_id: 'ann',
    });
    const { id, key } = answer.json() as { id: string; key: string };
    return { id, client: completion.service.as(key) };
  };
  const asked = () => until('the model is asked', () => completion.provider.completions.length > 0);
  const endsWith = async (response: Promise<Response>): Promise<readonly [number, string]> => {
    const { status, text } = await response.then(async (got) => ({
      status: got.status,
      text: await got.text(),
    }));
    return [status, text];
  };

  it.each(doors)('ends %s', async (_door, ask) => {
    const { id, client } = await keyOf();
    const ended = endsWith(ask(client));
    await asked();
    expect((await completion.service.client.delete(`/keys/${id}`)).status).toBe(200);
    const [status, text] = await ended;
    expect([200, 401]).toContain(status);
    expect(text).toMatch(/The API key was revoked/);
    await expectAborted();
  });

  it('ends the streams of its browser tokens', async () => {
    const { id, client } = await keyOf();
    const { token } = (await client.post(`/keys/${id}/token`, {})).json() as { token: string };
    const ended = endsWith(completion.service.as(token).fetch('POST', '/query', { body: STREAM }));
    await asked();
    await completion.service.client.delete(`/keys/${id}`);
    expect((await ended)[1]).toMatch(/The API key was revoked/);
  });

  /** The model is not paid for what nobody reads. */
  const expectAborted = async (): Promise<void> => {
    await until('the call of the model is aborted', () => completion.provider.last.aborted);
  };
});

// The embedded database allows one process: this spec needs DATABASE_URL.
onServer('a key that ends in another process', () => {
  let completion: CompletionService;
  let folder: string;
  let other: ServiceProcess;
  beforeAll(async () => {
    completion = await CompletionService.start({ LLM_MODEL: 'hosted_vllm/halfway:never' });
    folder = await mkdtemp(join(tmpdir(), 'lectern-e2e-'));
    other = ServiceProcess.spawn({ ...completion.service.environment, DATA_DIR: folder });
    await new Documents(() => completion.service.client).ingestText('The harbour opens at six.');
  });
  afterAll(async () => {
    await other.kill('SIGTERM');
    await rm(folder, { recursive: true, force: true });
    await completion.stop();
  });

  it('ends its streams', async () => {
    const { adminKey, client } = completion.service;
    const made = await client.post('/keys', { name: 'k', scopes: ['query'] });
    const { id, key } = made.json() as { id: string; key: string };
    const stream = await completion.service.as(key).fetch('POST', '/query', { body: STREAM });
    const elsewhere = new Client(await other.url(), adminKey);
    expect((await elsewhere.delete(`/keys/${id}`)).status).toBe(200);
    expect(await stream.text()).toMatch(/"detail":"The API key was revoked","status":401/);
  });
});
