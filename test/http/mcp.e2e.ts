import { readFileSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Answer } from '../support/client.js';
import { Documents } from '../support/documents.js';
import { minimalPdf } from '../support/minimal-pdf.js';
import { Service } from '../support/service.js';
import { SharedService } from '../support/shared-service.js';

interface Part {
  readonly type: string;
  readonly text?: string;
  readonly data?: string;
  readonly mimeType?: string;
}

describe('the MCP server', () => {
  let service: SharedService;
  let lamp: string;
  let chart: string;
  const clients: Client[] = [];
  beforeAll(async () => {
    service = await SharedService.enter();
    const documents = new Documents(() => service.client);
    lamp = (
      await documents.ingestText('The harbour lamp is lit at dusk. Its keeper sleeps by day.', {
        filename: 'lamp.txt',
        folder_name: '/harbour',
        metadata: { kind: 'note' },
      })
    ).external_id;
    const content = 'BT /F1 20 Tf 20 240 Td (Depths of the outer basin) Tj ET';
    const pdf = minimalPdf([{ size: [400, 300], content }]);
    chart = (await documents.ingestFile('chart.pdf', pdf, { use_colpali: 'true' })).external_id;
  });
  afterAll(async () => {
    for (const client of clients) await client.close();
    await service.stop();
  });

  const connect = async (transport: Transport): Promise<Client> => {
    const client = new Client({ name: 'spec', version: '1' });
    await client.connect(transport);
    clients.push(client);
    return client;
  };
  const overHttp = (key: string): Promise<Client> => {
    const headers = { authorization: `Bearer ${key}` };
    return connect(
      new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), {
        requestInit: { headers },
      }),
    );
  };
  const onStdio = (key: string): Promise<Client> =>
    connect(
      new StdioClientTransport({
        command: process.execPath,
        args: ['dist/cli/lectern.js', 'mcp', '--url', service.url],
        env: { LECTERN_API_KEY: key },
        stderr: 'ignore',
      }),
    );
  const call = async (
    client: Client,
    name: string,
    args: object,
  ): Promise<{ parts: Part[]; failed: boolean }> => {
    const answer = await client.callTool({ name, arguments: { ...args } });
    return { parts: answer.content as Part[], failed: answer.isError === true };
  };
  const textOf = ({ parts }: { parts: Part[] }): string => parts.map(({ text }) => text).join('');
  const keyWith = async (scopes: string[], more: object = {}): Promise<string> =>
    ((await service.client.post('/keys', { name: 'k', scopes, ...more })).json() as { key: string }).key;

  it.each(['over HTTP', 'on stdin and stdout'])('searches, asks, reads, lists and adds: %s', async (way) => {
    const client = way === 'over HTTP' ? await overHttp(service.adminKey) : await onStdio(service.adminKey);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual([
      'add_document',
      'ask',
      'list_documents',
      'read_document',
      'read_page',
      'search',
    ]);

    const found = textOf(await call(client, 'search', { query: 'When is the lamp lit?', k: 1 }));
    expect(found).toContain(`lamp.txt (document ${lamp}, chunk 0, score`);
    expect(found).toContain('lit at dusk');
    const none = await call(client, 'search', { query: 'lamp', filters: { kind: 'law' } });
    expect(textOf(none)).toBe('No passages found.');

    const answer = textOf(
      await call(client, 'ask', { query: 'When is the lamp lit?', folder_name: '/harbour' }),
    );
    expect(answer).toMatch(/dusk[^]*Sources:\n- /);
    expect(answer).toContain(lamp);

    expect(textOf(await call(client, 'read_document', { document_id: lamp, start: 4, length: 7 }))).toBe(
      'harbour\n\n[characters 4 to 11 of 58]',
    );
    const { parts } = await call(client, 'read_page', { document_id: chart, page: 1 });
    expect(parts).toMatchObject([{ type: 'image', mimeType: 'image/png' }]);
    expect(
      Buffer.from(parts[0]?.data ?? '', 'base64')
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG');

    const listed = textOf(await call(client, 'list_documents', { folder_name: '/harbour' }));
    expect(JSON.parse(listed)).toMatchObject({ documents: [{ external_id: lamp, filename: 'lamp.txt' }] });

    const added = textOf(
      await call(client, 'add_document', { content: `Added ${way}.`, filename: 'new.txt' }),
    );
    const [, id = ''] = /Stored as ([\w-]+);/.exec(added) ?? [];
    expect((await service.client.get(`/documents/${id}/status?wait=60`)).json()).toMatchObject({
      status: 'completed',
    });
  });

  it('lists the tools that the permissions of a key allow', async () => {
    const reader = await overHttp(await keyWith(['read']));
    const { tools } = await reader.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['search', 'read_document', 'read_page', 'list_documents']);
    await expect(call(reader, 'add_document', { content: 'x' })).rejects.toThrow('Unknown tool');
    await expect(overHttp('garbage')).rejects.toThrow('The API key is malformed');
    await expect(onStdio('garbage')).rejects.toThrow(/The API key is malformed.*LECTERN_API_KEY/);
  });

  it('counts each tool call of a batch against the rate limit', async () => {
    const headers = { accept: 'application/json, text/event-stream' };
    const limited = await Service.start({ RATE_LIMIT_PER_MINUTE: '10' });
    const call = (id: number) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: 'list_documents', arguments: {} },
    });
    const batch = (size: number) =>
      limited.client.post(
        '/mcp',
        Array.from({ length: size }, (_, id) => call(id)),
        { headers },
      );
    const first = await batch(8);
    expect([first.status, (first.json() as unknown[]).length]).toEqual([200, 8]);
    expect((await batch(8)).status).toBe(429);
    await limited.stop();
  });

  it('refuses a batch of more messages than it may answer at once', async () => {
    const headers = { accept: 'application/json, text/event-stream' };
    const messages = Array.from({ length: 21 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/list' }));
    const refused = await service.client.post('/mcp', messages, { headers });
    expect(refused.status).toBe(422);
    expect(refused.json()).toMatchObject({ detail: [{ loc: ['body'] }] });
  });

  it('accepts a single message and a batch, as documented', async () => {
    const headers = { accept: 'application/json, text/event-stream' };
    const post = (body: unknown) => service.client.post('/mcp', body, { headers });
    const start = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'spec', version: '1' } },
    };
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect((await post(start)).json()).toMatchObject({
      result: { serverInfo: { name: 'lectern', version } },
    });

    const notification = await post({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect([notification.status, notification.text]).toEqual([202, '']);
    const list = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/list' });
    const both = (await post([list(1), list(2)])).json() as { id: number }[];
    expect(both.map(({ id }) => id).sort()).toEqual([1, 2]);

    const items = (answer: Answer) =>
      (answer.json() as { detail: readonly { loc: unknown; type: string }[] }).detail.map(({ loc, type }) => [
        loc,
        type,
      ]);
    expect(items(await post([]))).toEqual([[['body'], 'dict_type']]);
    expect(items(await post([null, null]))).toEqual([
      [['body', 0], 'dict_type'],
      [['body', 1], 'dict_type'],
    ]);
  });

  it('returns a failure as a tool result that a model can read', async () => {
    const client = await overHttp(service.adminKey);
    const wrong = await call(client, 'search', { query: '', k: 0 });
    expect([wrong.failed, textOf(wrong)]).toEqual([true, expect.stringContaining('arguments.k')]);
    const unknown = await call(client, 'read_document', {
      document_id: '11111111-2222-4333-8444-555555555555',
    });
    expect([unknown.failed, textOf(unknown)]).toEqual([true, 'Document not found']);
    const other = await overHttp(await service.newTenant());
    const foreign = await call(other, 'read_document', { document_id: lamp });
    expect([foreign.failed, textOf(foreign)]).toEqual([true, 'Document not found']);
    const page = await call(client, 'read_page', { document_id: lamp, page: 1 });
    expect([page.failed, textOf(page)]).toEqual([true, expect.stringContaining('no page images')]);
  });
});
