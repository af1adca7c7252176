import type { CompletionEvent, QueryRequest } from '@lectern/client';
import { parseCommandLine, UsageError } from './command.js';
import { placeOf, SELECTION_OPTIONS, selectionOf } from './selection.js';
import { givenAddress, SERVICE_OPTIONS, withService, type GivenAddress } from './service.js';
import { printError, printPart } from './output.js';

export const USAGE = `Usage: lectern ask <question> [options]

Streams the answer to stdout and its sources to stderr.

  --url <url>           the service (LECTERN_URL, or the local one by HOST and PORT)
  --key <key>           an API key with the permission query (LECTERN_API_KEY, or DATA_DIR/api-key)
  --k <n>               number of passages for the answer (4)
  --folder <path>       only documents in this folder and its subfolders
  --filter <json>       only documents whose metadata match (docs/guide/filters.md)
  --end-user <id>       only documents of this end user
  --chat <id>           continues this chat
  --help                prints this help
  --version             prints the version`;

export interface AskCommand extends GivenAddress {
  readonly request: QueryRequest;
}

const OPTIONS = { ...SERVICE_OPTIONS, ...SELECTION_OPTIONS, chat: { type: 'string' } } as const;

/** `lectern ask`: streams an answer and prints its sources. */
export async function run(args: readonly string[]): Promise<void> {
  const command = parseAskCommand(args, process.env);
  await withService(command, async (client) => {
    let isBegun = false;
    try {
      for await (const event of client.queryStream(command.request)) {
        isBegun = true;
        if (event.type === 'assistant') printPart(event.content);
        else if (event.type === 'done') printSources(event);
      }
    } catch (error) {
      if (isBegun) process.stdout.write('\n');
      throw error;
    }
  });
}

/**
 * Parses the arguments of `lectern ask`; several words form one question.
 *
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
  const chat = values.chat === undefined ? {} : { chat_id: values.chat };
  const request = { query, inline_citations: true, ...selectionOf(values), ...chat };
  return { request, ...givenAddress(values, environment) };
}

type Done = Extract<CompletionEvent, { readonly type: 'done' }>;
type Source = Done['sources'][number];

function printSources({ sources, metadata }: Done): void {
  process.stdout.write('\n');
  if (sources.length === 0) {
    printError('\nNo sources: nothing was found.');
    return;
  }
  printError(`\nSources (${metadata?.model ?? 'unknown model'}):`);
  for (const line of sourceList(sources)) printError(`  ${line}`);
}

/** One line per source, in prompt order. */
export function sourceList(sources: readonly Source[]): string[] {
  return sources.map(({ page_number: page, score, ...source }, index) => {
    const place = placeOf({ ...source, metadata: page === null ? {} : { page_number: page } });
    return `${index + 1}. ${place}${score === null ? '' : `  ${score.toFixed(3)}`}`;
  });
}
