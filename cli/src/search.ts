import type { Chunk, RetrieveChunksRequest } from '@lectern/client';
import { parseCommandLine, UsageError } from './command.js';
import { placeOf, SELECTION_OPTIONS, selectionOf } from './selection.js';
import { givenAddress, SERVICE_OPTIONS, withService, type GivenAddress } from './service.js';
import { print, printError, printJson } from './output.js';

export const USAGE = `Usage: lectern search <question> [options]

Prints the passages for a question, best first, each with its score, document and page.

  --url <url>           the service (LECTERN_URL, or the local one by HOST and PORT)
  --key <key>           an API key with the permission read (LECTERN_API_KEY, or DATA_DIR/api-key)
  --k <n>               number of passages (4)
  --folder <path>       only documents in this folder and its subfolders
  --filter <json>       only documents whose metadata match (docs/guide/filters.md)
  --end-user <id>       only documents of this end user
  --json                prints the JSON response
  --help                prints this help
  --version             prints the version`;

interface SearchCommand extends GivenAddress {
  readonly request: RetrieveChunksRequest;
  readonly json: boolean;
}

const OPTIONS = { ...SERVICE_OPTIONS, ...SELECTION_OPTIONS, json: { type: 'boolean' } } as const;

/** `lectern search`: prints passages for a question. */
export async function run(args: readonly string[]): Promise<void> {
  const command = parseSearchCommand(args, process.env);
  await withService(command, async (client) => {
    const passages = await client.retrieve(command.request);
    if (command.json) printJson(passages, 2);
    else if (passages.length === 0) printError('Nothing found.');
    else print(passageList(passages));
  });
}

/**
 * Several words form one question.
 *
 * @param environment LECTERN_URL and LECTERN_API_KEY
 * @throws UsageError
 */
function parseSearchCommand(
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

/** Formats passages: a line with score and location, and the text below. */
function passageList(passages: readonly Chunk[]): string {
  return passages
    .map((passage, index) => {
      const text = passage.content.trim().replaceAll(/^(?=.)/gm, '   ');
      return `${index + 1}. ${passage.score.toFixed(3)}  ${placeOf(passage)}\n${text}`;
    })
    .join('\n\n');
}
