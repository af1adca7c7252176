import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { localUrl } from '../config/local-url.js';
import { readSettings } from '../config/read-settings.js';
import { FolderIngestion } from './ingest/folder-ingestion.js';
import { parseIngestCommand, USAGE, type IngestCommand } from './ingest/ingest-command.js';
import { LecternClient } from './ingest/lectern-client.js';
import { preview, ProgressReport, summary } from './ingest/progress-report.js';
import { sourceFiles } from './ingest/source-files.js';
import { reportFailure } from './report-failure.js';

/** `lectern ingest`: puts the files of a folder into a service and keeps them current. */
async function main(args: readonly string[]): Promise<void> {
  const command = parseIngestCommand(args, process.env);
  const { url, key } = await serviceOf(command);
  const { folder, endUser, metadata } = command;
  const client = new LecternClient({ url, key, folder, endUser, metadata });
  await client.reach();
  const files = await sourceFiles(command.path, command.name);
  const ingestion = new FolderIngestion(client);
  const begun = performance.now();
  const plans = await ingestion.plan(files);
  if (command.dryRun) {
    console.log(preview(plans));
    return;
  }
  const progress = new ProgressReport(plans.length);
  try {
    const results = await ingestion.run(plans, command.concurrency, (result) => {
      progress.add(result);
    });
    progress.end();
    console.log(summary(results, (performance.now() - begun) / 1_000));
    if (results.some(({ outcome }) => outcome === 'failed')) process.exitCode = 1;
  } finally {
    progress.end();
  }
}

/** Without flags the service that this installation starts, and the admin key that it made for itself. */
async function serviceOf({
  url,
  key,
}: IngestCommand): Promise<{ readonly url: string; readonly key: string | undefined }> {
  if (url !== undefined) return { url, key };
  const settings = readSettings(process.env);
  return { url: localUrl(settings), key: key ?? settings.ADMIN_KEY ?? (await keyIn(settings.DATA_DIR)) };
}

async function keyIn(dataDir: string): Promise<string | undefined> {
  try {
    return (await readFile(join(dataDir, 'api-key'), 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

main(process.argv.slice(2)).catch((error: unknown) => {
  reportFailure(error, { usage: USAGE, brief: true });
});
