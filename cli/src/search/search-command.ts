import { parseCommandLine } from '../command-line.js';
import { givenAddress, type GivenAddress } from '../connection/service-address.js';
import { UsageError } from '../report-failure.js';
import { SELECTION_OPTIONS, selectionOf } from '../selection.js';

export const USAGE = `Usage: lectern search <question> [options]

Prints the passages for a question, best first, each with its score, document and page.

  --url <url>           the service (LECTERN_URL, or the local one by HOST and PORT)
  --key <key>           an API key with the scope read (LECTERN_API_KEY, or DATA_DIR/api-key)
  --k <n>               passages (4)
  --folder <path>       only documents of that folder and those below it
  --filter <json>       only documents whose metadata match (docs/filters.md)
  --end-user <id>       only documents of that end user
  --json                the answer of the service as JSON
  --help                this
  --version             which Lectern this is`;

export interface SearchCommand extends GivenAddress {
  /** The body of POST /retrieve/chunks. */
  readonly request: Readonly<Record<string, unknown>>;
  readonly json: boolean;
}

const OPTIONS = {
  url: { type: 'string' },
  key: { type: 'string' },
  ...SELECTION_OPTIONS,
  json: { type: 'boolean' },
} as const;

/**
 * Reads the arguments behind `lectern search`; words without quotation marks are one question.
 * @param environment LECTERN_URL and LECTERN_API_KEY
 * @throws UsageError
 */
export function parseSearchCommand(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): SearchCommand {
  const { values, positionals } = parseCommandLine({
    args: [...args],
    options: OPTIONS,
    allowPositionals: true,
  });
  const query = positionals.join(' ').trim();
  if (query === '') throw new UsageError('search needs a question');
  return {
    request: { query, output_format: 'text', ...selectionOf(values) },
    json: values.json ?? false,
    ...givenAddress(values, environment),
  };
}
