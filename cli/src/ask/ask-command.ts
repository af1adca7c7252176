import { parseCommandLine } from '../command-line.js';
import { givenAddress, type GivenAddress } from '../connection/service-address.js';
import { UsageError } from '../report-failure.js';
import { SELECTION_OPTIONS, selectionOf } from '../selection.js';

export const USAGE = `Usage: lectern ask <question> [options]

Streams the answer to stdout and its sources to stderr.

  --url <url>           the service (LECTERN_URL, or the local one by HOST and PORT)
  --key <key>           an API key with the scopes query and read (LECTERN_API_KEY, or DATA_DIR/api-key)
  --k <n>               passages that the answer is made from (4)
  --folder <path>       only documents of that folder and those below it
  --filter <json>       only documents whose metadata match (docs/filters.md)
  --end-user <id>       only documents of that end user
  --chat <id>           goes on with that chat
  --help                this
  --version             which Lectern this is`;

export interface AskCommand extends GivenAddress {
  /** The body of POST /query. */
  readonly request: Readonly<Record<string, unknown>>;
}

const OPTIONS = {
  url: { type: 'string' },
  key: { type: 'string' },
  ...SELECTION_OPTIONS,
  chat: { type: 'string' },
} as const;

/**
 * Reads the arguments behind `lectern ask`; words without quotation marks are one question.
 * @param environment LECTERN_URL and LECTERN_API_KEY
 * @throws UsageError
 */
export function parseAskCommand(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): AskCommand {
  const { values, positionals } = parseCommandLine({
    args: [...args],
    options: OPTIONS,
    allowPositionals: true,
  });
  const query = positionals.join(' ').trim();
  if (query === '') throw new UsageError('ask needs a question');
  const request = {
    query,
    inline_citations: true,
    stream_response: true,
    ...selectionOf(values),
    ...(values.chat === undefined ? {} : { chat_id: values.chat }),
  };
  return { request, ...givenAddress(values, environment) };
}
