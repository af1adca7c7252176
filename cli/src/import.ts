import { numberOf, parseCommandLine, UsageError } from './command.js';
import { DocumentImport, type ImportResult, type Outcome } from './import/document-import.js';
import { ImportSource } from './import/import-source.js';
import {
  clientOf,
  givenAddress,
  reach,
  SERVICE_OPTIONS,
  withService,
  type GivenAddress,
  type ServiceAddress,
} from './service.js';
import { print, printError } from './output.js';

export const USAGE = `Usage: lectern import --from <url> [options]

  --from <url>          the service to copy from: http(s)://host:port, or its connection URI
                        (morphik://name:key@host:port)
  --from-key <key>      an API key of that service (LECTERN_IMPORT_KEY)
  --url <url>           the service to copy to (LECTERN_URL, or the local one by HOST and PORT)
  --key <key>           an API key with the permissions read and write (LECTERN_API_KEY, or DATA_DIR/api-key)
  --concurrency <n>     concurrent documents, 1 to 64 (4)
  --help                prints this help
  --version             prints the version

Copies folders and documents with their files or texts, metadata and types. Skips documents that have a copy: run it
again after an interruption.`;

interface ImportCommand {
  readonly from: ServiceAddress;
  readonly to: GivenAddress;
  readonly concurrency: number;
}

const OPTIONS = {
  from: { type: 'string' },
  'from-key': { type: 'string' },
  ...SERVICE_OPTIONS,
  concurrency: { type: 'string' },
} as const;

const OUTCOMES: readonly Outcome[] = ['copied', 'already copied', 'skipped', 'failed'];

/** `lectern import`: copies folders and documents from a compatible service. */
export async function run(args: readonly string[]): Promise<void> {
  const command = parseImportCommand(args, process.env);
  await reach(command.from.url, 'Start it, or set another URL with --from');
  await withService(command.to, async (target) => {
    const source = new ImportSource(clientOf(command.from));
    const work = new DocumentImport(source, target);
    const folders = await work.folders();
    const total = await source.count();
    const counts = new Map<Outcome, number>();
    let done = 0;
    await work.documents(command.concurrency, (result) => {
      done += 1;
      counts.set(result.outcome, (counts.get(result.outcome) ?? 0) + 1);
      printError(`${done}/${total} ${lineOf(result)}`);
    });
    const totals = OUTCOMES.map((outcome) => `${counts.get(outcome) ?? 0} ${outcome}`);
    print(`${folders} folders, ${done} documents: ${totals.join(', ')}`);
    if ((counts.get('failed') ?? 0) > 0) process.exitCode = 1;
  });
}

function lineOf({ document, outcome, reason }: ImportResult): string {
  const name = document.filename ?? document.id;
  return `${outcome}: ${name}${reason === undefined ? '' : ` (${reason})`}`;
}

/**
 * Parses the arguments of `lectern import`.
 *
 * @throws UsageError
 */
function parseImportCommand(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): ImportCommand {
  const values = parseCommandLine({ args: [...args], options: OPTIONS }).values;
  if (values.from === undefined) throw new UsageError('--from is required: the service to copy from');
  const source = sourceOf(values.from);
  return {
    from: {
      url: source.url,
      key: values['from-key'] ?? environment['LECTERN_IMPORT_KEY'] ?? source.key,
      keyOrigin: 'a key of the source is required: --from-key, LECTERN_IMPORT_KEY or a connection URI',
    },
    to: givenAddress(values, environment),
    concurrency: numberOf('concurrency', values.concurrency ?? '4', 1, 64),
  };
}

/** Address and key of the source. A `morphik://` URI does not name the protocol: local hosts use http, others https. */
function sourceOf(text: string): { readonly url: string; readonly key: string | undefined } {
  const [, key, host] = /^morphik:\/\/[^:@/]+:([^@/]+)@([^/]+)\/?$/.exec(text) ?? [];
  if (host !== undefined) {
    const isLocal = /^(localhost|127\.|\[::1\])/.test(host);
    return { url: `${isLocal ? 'http' : 'https'}://${host}`, key };
  }
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) {
    throw new UsageError(
      `--from is neither an http(s) URL nor a morphik:// URI: ${text.replace(/:[^:@/]+@/, ':...@')}`,
    );
  }
  return { url: text.replace(/\/+$/, ''), key: undefined };
}
