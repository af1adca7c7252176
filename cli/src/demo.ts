import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Completion, DocumentRecord, LecternClient } from '@lectern/client';
import { Transformer } from '@napi-rs/image';
import { packageRoot } from '../../src/index.js';
import { parseCommandLine } from './command.js';
import { startService, type RunningService } from './demo/service.js';
import { bold, dim, green, heading, passing, staying, wrapped } from './demo/terminal.js';
import { clientOf } from './service.js';
import { plain } from './output.js';

export const USAGE = `Usage: lectern demo [--once]

Starts a service with a temporary data folder, ingests three documents, searches passages,
asks questions and updates a document. The service then keeps running until Ctrl-C, so that you can try it.

  --once                exits after the tour
  --help                prints this help
  --version             prints the version`;

const OPTIONS = { once: { type: 'boolean', default: false } } as const;

const DOCUMENTS = [
  { file: 'observatory-annual-report-2025.pdf', type: 'application/pdf' },
  { file: 'greenhouse-controller-manual.md', type: 'text/markdown' },
  { file: 'ferry-visitor-information.html', type: 'text/html' },
] as const;

const SEARCH = 'What does error E07 mean and what should I do about it?';
const QUESTION = 'How much did it cost to re-aluminise the main mirror?';
const BEFORE_AND_AFTER = 'When does the last boat leave Torvig pier in winter?';
/** Number of the page of the report whose image is used as a query. */
const PICTURED_PAGE = 3;
const UPDATE =
  'Notice of 14 November: until the end of February the last boat leaves Torvig pier at 17:30 in winter, because the pier lights are being renewed.';

/**
 * `lectern demo`: ingests documents, searches, answers with citations, finds a page by its picture, and updates a
 * document.
 */
export async function run(args: readonly string[]): Promise<void> {
  const { once } = parseCommandLine({ args: [...args], options: OPTIONS }).values;
  const ended = Promise.race([interrupted(), readerGone()]);
  const folder = await mkdtemp(join(tmpdir(), 'lectern-demo-'));
  heading('Lectern: starting with embedded PostgreSQL and the bundled model, without network');
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
  if (signal !== undefined) process.kill(process.pid, signal); // so that the exit code reports the interruption
}

async function show(service: RunningService, folder: string, once: boolean): Promise<undefined> {
  await service.ready();
  const keyFile = join(folder, 'api-key');
  const key = (await readFile(keyFile, 'utf8')).trim();
  await tour(clientOf({ url: service.url, key, keyOrigin: `the key came from ${keyFile}` }));
  heading('The tour is finished');
  if (once) {
    console.log(
      dim('The demo data is removed. Without --once the service keeps running, so that you can try it.'),
    );
    return;
  }
  console.log(`Playground: ${bold(`${service.url}/`)}`);
  console.log(`Swagger UI: ${bold(`${service.url}/docs`)}`);
  console.log(`API key:    ${keyFile}`);
  console.log(
    dim('The service keeps running, so that you can try it. Ctrl-C stops it and removes the demo data.'),
  );
}

/** An excerpt of a passage. It begins with the sentence that shares the most words with the question. */
function excerpt(content: string): string {
  const asked = new Set(wordsOf(SEARCH));
  const sentences = content.split(/(?<=[.!?])\s+|\n+/);
  const shared = sentences.map((sentence) => wordsOf(sentence).filter((word) => asked.has(word)).length);
  const start = content.indexOf(sentences[shared.indexOf(Math.max(...shared))] ?? '');
  return `${start > 0 ? '… ' : ''}${content.slice(start, start + 320)}`;
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/\p{L}+|\p{N}+/gu) ?? [];
}

async function tour(client: LecternClient): Promise<void> {
  heading('1. Ingest three documents: POST /ingest/file');
  const ids = new Map<string, string>();
  for (const { file, type } of DOCUMENTS) {
    const bytes = await readFile(join(packageRoot, 'demo', 'documents', file));
    const { external_id: id } = await client.ingestFile(new Blob([new Uint8Array(bytes)], { type }), {
      filename: file,
      metadata: { demo: true },
      use_colpali: true,
    });
    ids.set(file, id);
  }
  for (const [file, id] of ids) {
    await client.wait(id, {
      seconds: 1,
      onStatus: ({ status, progress }) => {
        passing(
          `   ${file}: ${progress === undefined ? status : `${String(progress['step_name'])} ${String(progress['percentage'])} %`}`,
        );
      },
    });
    const record = await client.get(id);
    const pages = record.page_count === null ? '' : `, ${record.page_count} pages`;
    staying(`   ${green('✓')} ${file}: ${fieldOf(record, 'chunk_count')} chunks${pages}`);
  }

  heading(`2. Search passages: POST /retrieve/chunks/grouped\n   "${SEARCH}"`);
  const { groups } = await client.retrieveGrouped({ query: SEARCH, k: 2 });
  groups.forEach(({ main_chunk }, rank) => {
    console.log(
      `   ${rank + 1}. ${bold(plain(main_chunk.filename ?? ''))}  score ${main_chunk.score.toFixed(3)}`,
    );
    console.log(dim(wrapped(plain(excerpt(main_chunk.content)))));
  });

  heading(`3. Ask a question: POST /query\n   "${QUESTION}"`);
  print(await answered(client, QUESTION));

  const report = ids.get('observatory-annual-report-2025.pdf') ?? '';
  heading(
    `4. Find a page by its picture: query_image\n   page ${PICTURED_PAGE} of the report, at 60% of its size, as JPEG`,
  );
  const { pages } = await client.pageImages({
    document_id: report,
    start_page: PICTURED_PAGE,
    end_page: PICTURED_PAGE,
  });
  const picture = await smallCopy(Buffer.from(pages[0]?.split(',')[1] ?? '', 'base64'));
  const alike = await client.retrieveGrouped({
    query_image: picture.toString('base64'),
    k: 2,
    use_colpali: true,
    output_format: 'text',
  });
  alike.groups.forEach(({ main_chunk: { filename, metadata, score } }, rank) => {
    const place = `${filename ?? ''}, page ${String(metadata['page_number'])}`;
    console.log(`   ${rank + 1}. ${bold(plain(place))}  score ${score.toFixed(3)}`);
  });

  const ferry = ids.get('ferry-visitor-information.html') ?? '';
  heading(`5. Update a document: POST /documents/{id}/update_text\n   "${BEFORE_AND_AFTER}"`);
  print(await answered(client, BEFORE_AND_AFTER));
  console.log(`\n   ${bold('add')}: ${UPDATE}\n`);
  const updated = await client.updateText(ferry, { content: UPDATE }, { strategy: 'add' });
  console.log(
    `   ${green('✓')} version ${fieldOf(updated, 'version')}, ${fieldOf(updated, 'chunk_count')} chunks\n`,
  );
  print(await answered(client, BEFORE_AND_AFTER));
}

async function smallCopy(png: Buffer): Promise<Buffer> {
  const { width, height } = await new Transformer(png).metadata();
  const [small, low] = [width, height].map((side) => Math.round(side * 0.6));
  return new Transformer(png).fastResize({ width: small ?? width, height: low ?? height }).jpeg(70);
}

function answered(client: LecternClient, query: string): Promise<Completion> {
  return client.query({ query, k: 4, inline_citations: true });
}

function print({ completion, sources, metadata }: Completion): void {
  console.log(wrapped(plain(typeof completion === 'string' ? completion : JSON.stringify(completion))));
  const total = Math.round(metadata?.timings_ms['total'] ?? 0);
  console.log(dim(`   model ${plain(metadata?.model ?? '')}, ${sources.length} sources, ${total} ms`));
}

function fieldOf({ system_metadata: system }: DocumentRecord, name: string): string {
  return String(system[name]);
}

/** Resolves when stdout is closed, as in `lectern demo | head`, because nobody will press Ctrl-C then. */
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
