import { concurrencyOf, parseCommandLine } from '../command-line.js';
import { givenAddress, type GivenAddress } from '../connection/service-address.js';
import { UsageError } from '../report-failure.js';

export const USAGE = `Usage: lectern ingest <folder or file> [options]

  --url <url>           the service (LECTERN_URL, or the local one by HOST and PORT)
  --key <key>           an API key with the scopes read and write (LECTERN_API_KEY, or DATA_DIR/api-key)
  --folder <path>       folder in the service that the documents go to
  --name <name>         what the source is called; the name of the folder without it
  --metadata <json>     metadata of every document
  --end-user <id>       the end user that the documents belong to
  --concurrency <n>     documents in work at once, 1 to 64 (8)
  --dry-run             only says what would be done
  --help                this
  --version             which Lectern this is

Files that have not changed since the last time are passed over: run it again after an interruption or an edit.`;

export interface IngestCommand extends GivenAddress {
  readonly path: string;
  readonly folder: string | undefined;
  readonly name: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly endUser: string | undefined;
  readonly concurrency: number;
  readonly dryRun: boolean;
}

const OPTIONS = {
  url: { type: 'string' },
  key: { type: 'string' },
  folder: { type: 'string' },
  name: { type: 'string' },
  metadata: { type: 'string' },
  'end-user': { type: 'string' },
  concurrency: { type: 'string' },
  'dry-run': { type: 'boolean' },
} as const;

const DEFAULT_CONCURRENCY = 8;

/**
 * Reads the arguments behind `lectern ingest`.
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
  if (others.length > 0) throw new UsageError(`ingest takes one folder or file, got ${positionals.length}`);
  return {
    path,
    ...givenAddress(values, environment),
    folder: values.folder,
    name: values.name,
    metadata: metadataOf(values.metadata),
    endUser: values['end-user'],
    concurrency: concurrencyOf(values.concurrency, DEFAULT_CONCURRENCY),
    dryRun: values['dry-run'] ?? false,
  };
}

function metadataOf(text: string | undefined): Record<string, unknown> {
  if (text === undefined) return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new UsageError('--metadata takes JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new UsageError('--metadata takes a JSON object');
  }
  return value as Record<string, unknown>;
}
