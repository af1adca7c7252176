import { parseCommandLine } from '../command-line.js';
import { givenAddress, type GivenAddress } from '../connection/service-address.js';
import { UsageError } from '../report-failure.js';

export const USAGE = `Usage: lectern eval <questions.jsonl> [options]
       lectern eval --draft <questions.jsonl> [--count <n>] [--url <url>] [--key <key>]

  --out <file>          where the figures go as JSON, and beside it the page as HTML (eval-<time>.json)
  --against <file>      the JSON of an earlier run: says what differs and what is noise
  --answers <which>     questions that POST /query is asked: with an expected answer (expected), all, none (expected)
  --k <n>               chunks that are asked for, 10 to 1000 (100)
  --concurrency <n>     questions at once, 1 to 64; more than 1 makes latencies those of a busy service (1)
  --draft <file>        has the configured model write a first file of questions about documents of the service
  --count <n>           questions of a draft, 1 to 1000; each is one call of the model (30)
  --url <url>           the service (LECTERN_URL, or the local one by HOST and PORT)
  --key <key>           an API key with the scopes read and query (LECTERN_API_KEY, or DATA_DIR/api-key)
  --help                this
  --version             which Lectern this is

A line is a JSON object: "question", and any of "document" (file name, source path or id), "page", "quote", "answer",
"relevant" (documents, or grades by document); besides "filters", "folder_name", "folder_depth", "end_user_id", "id".`;

export const ANSWERS = ['expected', 'all', 'none'] as const;

export interface EvalCommand extends GivenAddress {
  /** The file of questions. */
  readonly path: string;
  /** The JSON; the page lies beside it. */
  readonly out: string;
  readonly against: string | undefined;
  readonly answers: (typeof ANSWERS)[number];
  readonly k: number;
  readonly concurrency: number;
}

/** Writes a file of questions instead of asking them. */
export interface DraftCommand extends GivenAddress {
  readonly draft: string;
  readonly count: number;
}

const OPTIONS = {
  draft: { type: 'string' },
  count: { type: 'string' },
  out: { type: 'string' },
  against: { type: 'string' },
  answers: { type: 'string' },
  k: { type: 'string' },
  concurrency: { type: 'string' },
  url: { type: 'string' },
  key: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Options that a draft has no use for. */
const OF_RUNS = ['out', 'against', 'answers', 'k', 'concurrency'] as const;

/**
 * Reads the arguments behind `lectern eval`.
 * @param environment LECTERN_URL and LECTERN_API_KEY
 * @param now names the result that is not named
 * @returns 'help' when that was asked for
 * @throws UsageError
 */
export function parseEvalCommand(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  now: Date,
): EvalCommand | DraftCommand | 'help' {
  const { values, positionals } = parseCommandLine({
    args: [...args],
    options: OPTIONS,
    allowPositionals: true,
  });
  if (values.help === true) return 'help';
  if (values.draft !== undefined) {
    if (positionals.length > 0) throw new UsageError('--draft takes the file to write and no other');
    const unused = OF_RUNS.find((option) => values[option] !== undefined);
    if (unused !== undefined) throw new UsageError(`--${unused} does not go with --draft`);
    const count = numberOf('count', values.count ?? '30', 1, 1_000);
    return { draft: values.draft, count, ...givenAddress(values, environment) };
  }
  if (values.count !== undefined) throw new UsageError('--count goes with --draft only');
  const [path, ...others] = positionals;
  if (path === undefined || others.length > 0) throw new UsageError('eval takes one file of questions');
  return {
    path,
    out: values.out ?? `eval-${now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}.json`,
    against: values.against,
    answers: answersOf(values.answers ?? 'expected'),
    k: numberOf('k', values.k ?? '100', 10, 1_000),
    concurrency: numberOf('concurrency', values.concurrency ?? '1', 1, 64),
    ...givenAddress(values, environment),
  };
}

function answersOf(text: string): EvalCommand['answers'] {
  const answers = ANSWERS.find((one) => one === text);
  if (answers === undefined) throw new UsageError(`--answers takes ${ANSWERS.join(', ')}`);
  return answers;
}

function numberOf(option: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new UsageError(`--${option} takes a number from ${min} to ${max}`);
  }
  return value;
}
