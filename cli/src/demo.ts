import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Transformer } from '@napi-rs/image';
import { bestSupport } from '../../src/query/passages/support.js';
import { packageRoot } from '../../src/config/package-root.js';
import { DemoClient, type Completion } from './demo/client.js';
import { parseDemoCommand, USAGE } from './demo/demo-command.js';
import { startService, type RunningService } from './demo/service.js';
import { bold, dim, green, heading, passing, staying, wrapped } from './demo/terminal.js';
import { reportFailure } from './report-failure.js';

/**
 * `npm run demo`: documents go in, passages and a cited answer come out, a picture finds its page, an update changes the
 * answer.
 */
const DOCUMENTS = [
  { file: 'observatory-annual-report-2025.pdf', type: 'application/pdf' },
  { file: 'greenhouse-controller-manual.md', type: 'text/markdown' },
  { file: 'ferry-visitor-information.html', type: 'text/html' },
] as const;

const SEARCH = 'What does error E07 mean and what should I do about it?';
const QUESTION = 'How much did it cost to re-aluminise the main mirror?';
const BEFORE_AND_AFTER = 'When does the last boat leave Torvig pier in winter?';
/** Of the report; made a picture of. */
const PICTURED_PAGE = 3;
const UPDATE =
  'Notice of 14 November: until the end of February the last boat leaves Torvig pier at 17:30 in winter, because the pier lights are being renewed.';

async function main(args: readonly string[]): Promise<void> {
  const { once } = parseDemoCommand(args);
  const ended = Promise.race([interrupted(), readerGone()]);
  const folder = await mkdtemp(join(tmpdir(), 'lectern-demo-'));
  heading('Lectern: starting on embedded PostgreSQL, the bundled model and no network');
  const service = await startService(folder);
  let signal: NodeJS.Signals | undefined;
  try {
    const shown = show(service, folder, once);
    signal = await Promise.race([shown, ended]);
    if (signal === undefined && !once) await ended;
  } finally {
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  }
  if (signal !== undefined) process.kill(process.pid, signal); // in the middle of it: no success
}

async function show(service: RunningService, folder: string, once: boolean): Promise<undefined> {
  await service.ready();
  await tour(new DemoClient(service.url, await readFile(join(folder, 'api-key'), 'utf8')));
  heading('That was it');
  if (once) {
    console.log(dim('The data goes with it; without --once the service stays up for you to try.'));
    return;
  }
  console.log(`Playground: ${bold(`${service.url}/`)}`);
  console.log(`Swagger UI: ${bold(`${service.url}/docs`)}`);
  console.log(`Their key:  ${join(folder, 'api-key')}`);
  console.log(dim('The service stays up for you to try; Ctrl-C stops it and removes the demo data.'));
}

/** A passage from the sentence on that has most of the question's words. */
function excerpt(content: string): string {
  const start = bestSupport(content, SEARCH)?.start ?? 0;
  return `${start > 0 ? '… ' : ''}${content.slice(start, start + 320)}`;
}

async function tour(client: DemoClient): Promise<void> {
  heading('1. Three documents go in: POST /ingest/file');
  const ids = new Map<string, string>();
  for (const { file, type } of DOCUMENTS) {
    const bytes = await readFile(join(packageRoot, 'demo', 'documents', file));
    ids.set(file, await client.ingest(file, type, bytes));
  }
  for (const [file, id] of ids) {
    const record = await client.completed(id, (text) => {
      passing(`   ${file}: ${text}`);
    });
    const { chunk_count, page_count } = record.system_metadata;
    const pages = page_count === null ? '' : `, ${page_count} pages`;
    staying(`   ${green('✓')} ${file}: ${chunk_count} chunks${pages}`);
  }

  heading(`2. The right passages: POST /retrieve/chunks/grouped\n   "${SEARCH}"`);
  const { groups } = await client.retrieve(SEARCH, 2);
  groups.forEach(({ main_chunk }, rank) => {
    console.log(`   ${rank + 1}. ${bold(main_chunk.filename ?? '')}  score ${main_chunk.score.toFixed(3)}`);
    console.log(dim(wrapped(excerpt(main_chunk.content))));
  });

  heading(`3. An answer with its sources: POST /query\n   "${QUESTION}"`);
  print(await client.query(QUESTION));

  const report = ids.get('observatory-annual-report-2025.pdf') ?? '';
  heading(
    `4. A picture of a page finds its page: query_image\n   page ${PICTURED_PAGE} of the report, at 60% of its size, as JPEG`,
  );
  const pages = await client.retrieveByImage(
    await smallCopy(await client.pageImage(report, PICTURED_PAGE)),
    2,
  );
  pages.groups.forEach(({ main_chunk: { filename, metadata, score } }, rank) => {
    const place = `${filename ?? ''}, page ${String(metadata['page_number'])}`;
    console.log(`   ${rank + 1}. ${bold(place)}  score ${score.toFixed(3)}`);
  });

  const ferry = ids.get('ferry-visitor-information.html') ?? '';
  heading(`5. Documents change: POST /documents/{id}/update_text\n   "${BEFORE_AND_AFTER}"`);
  print(await client.query(BEFORE_AND_AFTER));
  console.log(`\n   ${bold('add')}: ${UPDATE}\n`);
  const updated = await client.updateText(ferry, UPDATE);
  console.log(
    `   ${green('✓')} version ${updated.system_metadata.version}, ${updated.system_metadata.chunk_count} chunks\n`,
  );
  print(await client.query(BEFORE_AND_AFTER));
}

async function smallCopy(png: Buffer): Promise<Buffer> {
  const { width, height } = await new Transformer(png).metadata();
  const [small, low] = [width, height].map((side) => Math.round(side * 0.6));
  return new Transformer(png).fastResize({ width: small ?? width, height: low ?? height }).jpeg(70);
}

function print({ completion, sources, metadata }: Completion): void {
  console.log(wrapped(completion));
  console.log(
    dim(
      `   model ${metadata.model}, ${sources.length} sources, ${Math.round(metadata.timings_ms['total'] ?? 0)} ms`,
    ),
  );
}

/** Nobody reads what is printed any more (`lectern demo | head`): there is nobody to press Ctrl-C either. */
function readerGone(): Promise<undefined> {
  return new Promise((resolve) => {
    process.stdout.on('error', () => {
      resolve(undefined);
    });
  });
}

function interrupted(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
}

main(process.argv.slice(2)).catch((error: unknown) => {
  reportFailure(error, { usage: USAGE, brief: true });
});
