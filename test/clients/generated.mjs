// Generates a client from openapi.json, compiles it and runs it: ingest, retrieve, query, a stream.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [, , generator] = process.argv;
const folder = mkdtempSync(join(tmpdir(), 'lectern-generated-'));
const bin = (name) => join(import.meta.dirname, 'node_modules', '.bin', name);
const run = (program, ...args) => {
  execFileSync(program, args, { stdio: ['ignore', process.stderr, process.stderr], cwd: folder });
};
const DOCUMENT = join(import.meta.dirname, '..', '..', 'openapi.json');

/** Code written against the generated client; it must type-check. */
const USES = {
  'hey-api': `
import { createClient } from './client/client/index.js';
import { ingestText, query as ask, retrieveChunks } from './client/index.js';
const client = createClient({ baseUrl: process.env['LECTERN_URL']!, auth: process.env['LECTERN_API_KEY']! });
const query = 'How much does the device weigh?';
const done = { client, throwOnError: true } as const;
const { data: record } = await ingestText({ ...done, body: { content: 'The lamp is green.', end_user_id: 'generated' } });
expect(record.external_id, record);
const { data: chunks } = await retrieveChunks({ ...done, body: { query, k: 2 } });
expect(chunks[0]?.content.includes('kilograms'), chunks);
const { data: answer } = await ask({ ...done, body: { query } });
expect(typeof answer === 'object' && 'sources' in answer && answer.sources.length > 0, answer);
const { data: events } = await ask({ ...done, body: { query, stream_response: true }, parseAs: 'stream' });
const text = await new Response(events as unknown as ReadableStream).text();
`,
  orval: `
import { ingestText, query as ask, retrieveChunks } from './client.js';
const options = { headers: { authorization: \`Bearer \${process.env['LECTERN_API_KEY']!}\` } };
const query = 'How much does the device weigh?';
const record = await ingestText({ content: 'The lamp is green.', end_user_id: 'generated' }, options);
expect(record.status === 200 && record.data.external_id, record);
const chunks = await retrieveChunks({ query, k: 2 }, options);
expect(chunks.status === 200 && chunks.data[0]?.content.includes('kilograms'), chunks);
const answer = await ask({ query }, options);
expect(answer.status === 200 && 'sources' in answer.data && answer.data.sources.length > 0, answer);
const events = await ask({ query, stream_response: true }, options);
const text = String(events.data); // the whole stream: this generator reads it to its end
`,
};
const CHECKS = `
function expect(condition: unknown, what: unknown): void {
  if (!condition) throw new Error(\`unexpected: \${JSON.stringify(what)}\`);
}
expect(text.includes('"type":"done"'), text);
`;

if (generator === 'orval') {
  const output = { target: join(folder, 'client.ts'), client: 'fetch', baseUrl: process.env.LECTERN_URL };
  const config = JSON.stringify({ lectern: { input: DOCUMENT, output } });
  writeFileSync(join(folder, 'orval.config.mjs'), `export default ${config};`);
  run(bin('orval'), '--config', 'orval.config.mjs');
} else {
  run(bin('openapi-ts'), '-i', DOCUMENT, '-o', join(folder, 'client'), '-c', '@hey-api/client-fetch');
}
writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
writeFileSync(join(folder, 'use.ts'), USES[generator] + CHECKS);
const types = join(import.meta.dirname, '..', '..', 'node_modules', '@types');
run(
  bin('tsc'),
  ...['--strict', '--target', 'es2023', '--lib', 'es2023,dom,dom.iterable', '--skipLibCheck'],
  ...[
    '--module',
    'esnext',
    '--moduleResolution',
    'bundler',
    '--typeRoots',
    types,
    '--types',
    'node',
    'use.ts',
  ],
);
run(process.execPath, 'use.js');
rmSync(folder, { recursive: true });
