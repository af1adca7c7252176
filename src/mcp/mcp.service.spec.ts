import { scopeOf } from '../auth/scope.js';
import type { McpTools } from './mcp-tools.js';
import { McpService } from './mcp.service.js';

describe('a batch of MCP calls', () => {
  it('runs one call after the other', async () => {
    const begun: unknown[] = [];
    let [running, most] = [0, 0];
    const tool = {
      name: 'look',
      description: 'looks',
      inputSchema: { type: 'object' },
      permission: 'read',
      readOnly: true,
      run: async (_scope: unknown, input: unknown) => {
        begun.push(input);
        running += 1;
        most = Math.max(most, running);
        await new Promise<void>((resolve) => {
          setImmediate(resolve); // lets other calls begin
        });
        running -= 1;
        return { content: [] };
      },
    };
    const service = new McpService({ all: [tool] } as unknown as McpTools);
    const answer = await service.answer(scopeOf('acme', ['read'], 'key'), {
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: [1, 2, 3].map((id) => ({
        jsonrpc: '2.0',
        id,
        method: 'tools/call',
        params: { name: 'look', arguments: { id } },
      })),
      id: 'request',
      signal: new AbortController().signal,
    });
    expect(answer.status).toBe(200);
    expect(((await answer.json()) as { id: number }[]).map(({ id }) => id)).toEqual([1, 2, 3]);
    expect(begun).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
    expect(most).toBe(1);
  });
});
