import { addressOf } from './connection/service-address.js';
import { ServiceConnection } from './connection/service-connection.js';
import { FolderIngestion } from './ingest/folder-ingestion.js';
import { parseIngestCommand, USAGE } from './ingest/ingest-command.js';
import { LecternClient } from './ingest/lectern-client.js';
import { preview, ProgressReport, summary } from './ingest/progress-report.js';
import { sourceFiles } from './ingest/source-files.js';
import { reportFailure } from './report-failure.js';

/** `lectern ingest`: puts the files of a folder into a service and keeps them current. */
async function main(args: readonly string[]): Promise<void> {
  const command = parseIngestCommand(args, process.env);
  const service = new ServiceConnection(await addressOf(command));
  await service.reach();
  const { folder, endUser, metadata } = command;
  const client = new LecternClient(service, { folder, endUser, metadata });
  const files = await sourceFiles(command.path, command.name);
  const ingestion = new FolderIngestion(client);
  const begun = performance.now();
  const plans = await ingestion.plan(files);
  if (command.dryRun) {
    console.log(preview(plans));
    return;
  }
  const results = await follow(new ProgressReport(), (progress) =>
    ingestion.run(plans, command.concurrency, progress),
  );
  console.log(summary(results, (performance.now() - begun) / 1_000));
  if (results.some(({ outcome }) => outcome === 'failed')) process.exitCode = 1;
}

/** Leaves the terminal as it was, however the work ends: by Ctrl-C too. */
async function follow<T>(
  progress: ProgressReport,
  work: (progress: ProgressReport) => Promise<T>,
): Promise<T> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      progress.end();
      process.kill(process.pid, signal);
    });
  }
  try {
    return await work(progress);
  } finally {
    progress.end();
  }
}

main(process.argv.slice(2)).catch((error: unknown) => {
  reportFailure(error, { usage: USAGE, brief: true });
});
