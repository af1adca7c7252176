import { numberOf, parseCommandLine, UsageError } from './command.js';
import { actionFor, FolderIngestion } from './ingest/folder-ingestion.js';
import { KnownDocuments } from './ingest/known-documents.js';
import { preview, ProgressReport, pruning, summary } from './ingest/progress-report.js';
import { sourceFiles, sourceName, type SourceFile } from './ingest/source-files.js';
import { givenAddress, SERVICE_OPTIONS, withService, type GivenAddress } from './service.js';
import { print, printError } from './output.js';

export const USAGE = `Usage: lectern ingest <folder or file> [options]

  --url <url>           the service (LECTERN_URL, or the local one by HOST and PORT)
  --key <key>           an API key with the permissions read and write (LECTERN_API_KEY, or DATA_DIR/api-key)
  --folder <path>       target folder in the service, which gets the subfolders too
  --flat                puts all files directly into the target folder
  --name <name>         name of the source; default: the name of the folder
  --metadata <json>     metadata of every document
  --end-user <id>       end user of the documents
  --concurrency <n>     concurrent documents, 1 to 64 (8)
  --dry-run             prints what would be done and changes nothing
  --prune               lists documents of the source whose files no longer exist
  --yes                 with --prune: deletes them
  --help                prints this help
  --version             prints the version

Skips files that have not changed: run it again after an interruption or an edit.`;

export interface IngestCommand extends GivenAddress {
  readonly path: string;
  readonly folder: string | undefined;
  /** Whether files of subfolders go into `folder` itself. */
  readonly flat: boolean;
  readonly name: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly endUser: string | undefined;
  readonly concurrency: number;
  readonly dryRun: boolean;
  readonly prune: 'no' | 'list' | 'delete';
}

const OPTIONS = {
  ...SERVICE_OPTIONS,
  folder: { type: 'string' },
  flat: { type: 'boolean' },
  name: { type: 'string' },
  metadata: { type: 'string' },
  'end-user': { type: 'string' },
  concurrency: { type: 'string' },
  'dry-run': { type: 'boolean' },
  prune: { type: 'boolean' },
  yes: { type: 'boolean' },
} as const;

/** `lectern ingest`: ingests the files of a folder, and updates the documents of changed files. */
export async function run(args: readonly string[]): Promise<void> {
  const command = parseIngestCommand(args, process.env);
  await withService(command, async (client) => {
    const source = await sourceName(command.path, command.name);
    const files = await sourceFiles(command.path, source);
    if (command.prune !== 'no') requireFolder(command.path, source, files);
    const ingestion = new FolderIngestion(new KnownDocuments(client, command));
    const begun = performance.now();
    const plans = await ingestion.plan(files);
    if (command.dryRun) {
      print(preview(plans));
      await prune(ingestion, source, files, command);
      return;
    }
    const due = plans.filter((plan) => actionFor(plan) !== 'none').length;
    const results = await follow(new ProgressReport(plans.length, due), (progress) =>
      ingestion.run(plans, command.concurrency, progress),
    );
    print(summary(results, (performance.now() - begun) / 1_000));
    await prune(ingestion, source, files, command);
    if (results.some(({ outcome }) => outcome === 'failed')) process.exitCode = 1;
  });
}

/** Checks that a source can be pruned. @throws Error if the source is a single file, or a folder without files */
function requireFolder(path: string, source: string, files: readonly SourceFile[]): void {
  if (files.some(({ sourcePath }) => sourcePath === source)) {
    throw new UsageError('--prune needs a folder: a single file has no other documents');
  }
  // An empty folder is more likely a missing mount than a request to delete every document.
  if (files.length === 0) throw new Error(`${path} has no files: nothing was pruned`);
}

/** Lists the documents whose files no longer exist, or deletes them. */
async function prune(
  ingestion: FolderIngestion,
  source: string,
  files: readonly SourceFile[],
  { prune: wanted, dryRun, concurrency }: IngestCommand,
): Promise<void> {
  if (wanted === 'no') return;
  const gone = await ingestion.gone(source, files);
  const isDeleted = wanted === 'delete' && !dryRun;
  if (isDeleted) await ingestion.remove(gone, concurrency);
  print(pruning(gone, isDeleted));
}

/**
 * Parses the arguments of `lectern ingest`.
 *
 * @param environment LECTERN_URL and LECTERN_API_KEY
 * @throws UsageError
 */
export function parseIngestCommand(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): IngestCommand {
  const { values, positionals } = parseCommandLine({
    args: [...args],
    options: OPTIONS,
    allowPositionals: true,
  });
  const [path, ...others] = positionals;
  if (path === undefined) throw new UsageError('ingest needs a folder or a file');
  if (values.flat === true && values.folder === undefined) throw new UsageError('--flat needs --folder');
  if (values.yes === true && values.prune !== true) throw new UsageError('--yes needs --prune');
  if (others.length > 0) throw new UsageError(`ingest takes one folder or file, got ${positionals.length}`);
  return {
    path,
    ...givenAddress(values, environment),
    folder: values.folder,
    flat: values.flat ?? false,
    name: values.name,
    metadata: metadataOf(values.metadata),
    endUser: values['end-user'],
    concurrency: numberOf('concurrency', values.concurrency ?? '8', 1, 64),
    dryRun: values['dry-run'] ?? false,
    prune: values.prune !== true ? 'no' : values.yes === true ? 'delete' : 'list',
  };
}

function metadataOf(text: string | undefined): Record<string, unknown> {
  if (text === undefined) return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new UsageError('--metadata must be JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new UsageError('--metadata must be a JSON object');
  }
  return value as Record<string, unknown>;
}

/** Runs work with a progress report. Restores the terminal when the work ends or the user presses Ctrl-C. */
async function follow<T>(
  progress: ProgressReport,
  work: (progress: ProgressReport) => Promise<T>,
): Promise<T> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      progress.end();
      printError(progress.interrupted());
      process.kill(process.pid, signal);
    });
  }
  try {
    return await work(progress);
  } finally {
    progress.end();
  }
}
