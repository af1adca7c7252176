import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { KEY, QUESTION, URL as SERVICE } from './common.mjs';

const client = new Client({ name: 'clients', version: '1' });
const requestInit = { headers: { authorization: `Bearer ${KEY}` } };
await client.connect(new StreamableHTTPClientTransport(new URL(`${SERVICE}/mcp`), { requestInit }));
const { tools } = await client.listTools();
assert.ok(tools.length > 2);
const { content, isError } = await client.callTool({ name: 'search', arguments: { query: QUESTION } });
assert.notEqual(isError, true);
assert.match(JSON.stringify(content), /kilograms/);
await client.close();
