import { concurrencyOf, parseCommandLine } from '../command-line.js';
import { givenAddress, type GivenAddress, type ServiceAddress } from '../connection/service-address.js';
import { UsageError } from '../report-failure.js';

export const USAGE = `Usage: lectern import --from <url> [options]

  --from <url>          the service to copy from: http(s)://host:port, or the URI that its client connects with
                        (morphik://name:key@host:port)
  --from-key <key>      a key of that service (LECTERN_IMPORT_KEY)
  --url <url>           the service to copy to (LECTERN_URL, or the local one by HOST and PORT)
  --key <key>           a key of it with the scopes read and write (LECTERN_API_KEY, or DATA_DIR/api-key)
  --concurrency <n>     documents in work at once, 1 to 64 (4)
  --help                this
  --version             which Lectern this is

Copies folders and documents with their files or texts, metadata and types. What was copied before is passed over: run it
again after an interruption.`;

export interface ImportCommand {
  readonly from: ServiceAddress;
  readonly to: GivenAddress;
  readonly concurrency: number;
}

const OPTIONS = {
  from: { type: 'string' },
  'from-key': { type: 'string' },
  url: { type: 'string' },
  key: { type: 'string' },
  concurrency: { type: 'string' },
} as const;

const DEFAULT_CONCURRENCY = 4;

/**
 * Reads the arguments behind `lectern import`.
 * @throws UsageError
 */
export function parseImportCommand(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): ImportCommand {
  const values = parseCommandLine({ args: [...args], options: OPTIONS }).values;
  if (values.from === undefined) throw new UsageError('import needs --from, the service to copy from');
  const source = sourceOf(values.from);
  return {
    from: {
      url: source.url,
      key: values['from-key'] ?? environment['LECTERN_IMPORT_KEY'] ?? source.key,
      keyOrigin: 'the key of the source comes from --from-key, LECTERN_IMPORT_KEY or its URI',
    },
    to: givenAddress(values, environment),
    concurrency: concurrencyOf(values.concurrency, DEFAULT_CONCURRENCY),
  };
}

/** A connection URI names a host without saying how it is reached: a local one by http, any other by https. */
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
