import { rm, writeFile } from 'node:fs/promises';
import {
  compare,
  comparisonSummary,
  figuresOf,
  isComparable,
  page,
  summary,
  type Run,
} from '@lectern/evaluation';
import { numberOf, parseCommandLine, UsageError } from './command.js';
import { Drafting } from './eval/draft.js';
import { ANSWERS, Evaluation, identity, type Asking } from './eval/evaluation.js';
import { namesIn, resolveNames } from './eval/named-documents.js';
import { Progress } from './eval/progress.js';
import { parseQuestions, type Problem } from './eval/question-file.js';
import {
  checkResultFiles,
  incompleteBeside,
  openDraft,
  pageBeside,
  readRun,
  readText,
  writeRun,
} from './eval/result-files.js';
import { ServiceUnderTest } from './eval/service-under-test.js';
import {
  addressOf,
  givenAddress,
  SERVICE_OPTIONS,
  type GivenAddress,
  type ServiceAddress,
} from './service.js';
import { print, printError } from './output.js';

export const USAGE = `Usage: lectern eval <questions.jsonl> [options]
       lectern eval --draft <questions.jsonl> [--count <n>] [--url <url>] [--key <key>]

  --out <file>          JSON output, with an HTML page beside it (eval-<time>.json)
  --against <file>      JSON of an earlier run to compare with; tests the significance of the differences
  --answers <which>     questions that are also sent to POST /query: expected (those with an "answer"), all or none
                        (expected)
  --k <n>               number of chunks to retrieve, 10 to 1000 (100)
  --concurrency <n>     concurrent questions, 1 to 64; more than 1 measures latency under load (1)
  --draft <file>        drafts questions about the documents with the configured model
  --count <n>           number of drafted questions, 1 to 1000; one model call each (30)
  --url <url>           the service (LECTERN_URL, or the local one by HOST and PORT)
  --key <key>           an API key with the permissions read and query (LECTERN_API_KEY, or DATA_DIR/api-key)
  --help                prints this help
  --version             prints the version

Each line is a JSON object with a "question" and at least one of "document" (file name, source path or id), "page",
"quote", "answer" and "relevant" (documents, or grades by document). It may have "filters", "folder_name",
"folder_depth", "end_user_id" and "id".`;

interface EvalCommand extends GivenAddress, Asking {
  readonly path: string;
  /** JSON output; the HTML page is written beside it. */
  readonly out: string;
  readonly against: string | undefined;
}

/** The command that drafts questions instead of running them. */
interface DraftCommand extends GivenAddress {
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
  ...SERVICE_OPTIONS,
} as const;

/** Options that do not apply to drafts. */
const OF_RUNS = ['out', 'against', 'answers', 'k', 'concurrency'] as const;

/** `lectern eval`: evaluates search and answers on a file of questions. */
export async function run(args: readonly string[]): Promise<void> {
  const command = parseEvalCommand(args, process.env, new Date());
  if ('draft' in command) await draft(command, await addressOf(command));
  else await measured(command);
}

async function measured(command: EvalCommand): Promise<void> {
  await checkResultFiles(command);
  const earlier = command.against === undefined ? null : await readRun(command.against);
  const run = await evaluate(command, await addressOf(command), earlier);
  const comparison = earlier === null ? null : compare(run, earlier);
  const out = run.incomplete === undefined ? command.out : incompleteBeside(command.out);
  await writeRun(out, run);
  await writeFile(pageBeside(out), page(run, comparison));
  print(summary(run));
  if (comparison !== null) print(`\n${comparisonSummary(comparison)}`);
  print(`\nWritten: ${out}, ${pageBeside(out)}`);
  if (run.incomplete !== undefined) throw new Error(`Incomplete: ${run.incomplete}`);
  if (comparison?.differences.length === 0) process.exitCode = 1;
  if (run.failed > 0) throw new Error(`${run.failed} of ${run.questions.length} questions failed`);
}

/** Drafts questions into a new file. @throws Error if the file exists, before any call of the model */
async function draft({ draft: path, count }: DraftCommand, address: ServiceAddress): Promise<void> {
  const file = await openDraft(path);
  let kept = 0;
  try {
    const drafting = new Drafting(new ServiceUnderTest(address, stoppable().signal));
    const { questions, passages } = await drafting.write(
      count,
      async (line) => {
        await file.appendFile(`${line}\n`);
        kept += 1;
      },
      (done) => {
        printError(`${done} of ${count}`);
      },
    );
    const skipped = passages - questions;
    print(`Wrote ${questions} questions to ${path} (${skipped} passages without a question).`);
    print('Review them before use: remove unrealistic questions, and correct wrong answers.');
  } catch (error) {
    if (kept === 0) throw error;
    throw new Error(`${(error as Error).message}\nQuestions kept in ${path}: ${kept}`, {
      cause: error,
    });
  } finally {
    await file.close();
    if (kept === 0) await rm(path);
  }
}

/** Runs the questions of a file. @throws Error that lists every error in the file, before any question is sent */
async function evaluate(command: EvalCommand, address: ServiceAddress, earlier: Run | null): Promise<Run> {
  const { path, against = '', k, concurrency } = command;
  const { questions, problems } = parseQuestions(await readText(path));
  const stop = stoppable();
  const service = new ServiceUnderTest(address, stop.signal);
  await service.reach();
  const names = resolveNames(questions, await service.documentsCalled(namesIn(questions)));
  refuse(path, [...problems, ...names.problems]);
  if (earlier !== null && !isComparable(questions.map(identity), earlier)) {
    throw new Error(`--against: nothing can be compared, because no question of ${path} is in ${against}`);
  }
  const progress = new Progress(questions.length);
  const at = new Date().toISOString();
  try {
    const results = await new Evaluation(service, names.ids, command, stop).run(questions, (result) => {
      progress.add(result);
    });
    const incomplete = incompleteness(results.length, questions.length, stop.signal);
    return {
      lectern_eval: 1,
      at,
      url: address.url,
      k,
      concurrency,
      ...figuresOf(results),
      ...(incomplete === null ? {} : { incomplete }),
      questions: results,
    };
  } finally {
    progress.end();
  }
}

/**
 * Returns a controller that the first Ctrl-C or SIGTERM aborts. The requests then stop, and the results so far are
 * written. The second Ctrl-C kills the process.
 */
function stoppable(): AbortController {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      stop.abort(new Error('interrupted'));
    });
  }
  return stop;
}

/** Describes how far a stopped run got; null if the run is complete. @throws Error if no question was measured */
function incompleteness(measured: number, asked: number, { reason }: AbortSignal): string | null {
  if (measured === asked) return null;
  const { message } = reason as Error;
  const text = `stopped after ${measured} of ${asked} questions: ${message}`;
  if (measured === 0) throw new Error(`Nothing was written: ${text}`);
  return text;
}

function refuse(path: string, problems: readonly Problem[]): void {
  if (problems.length === 0) return;
  const sorted = [...problems].sort((a, b) => a.line - b.line);
  throw new Error(sorted.map(({ line, message }) => `${path}:${line}: ${message}`).join('\n'));
}

/**
 * Parses the arguments of `lectern eval`.
 *
 * @param environment LECTERN_URL and LECTERN_API_KEY
 * @param now used in the default output name
 * @throws UsageError
 */
export function parseEvalCommand(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  now: Date,
): EvalCommand | DraftCommand {
  const { values, positionals } = parseCommandLine({
    args: [...args],
    options: OPTIONS,
    allowPositionals: true,
  });
  if (values.draft !== undefined) {
    if (positionals.length > 0) throw new UsageError('--draft needs one file to write');
    const unused = OF_RUNS.find((option) => values[option] !== undefined);
    if (unused !== undefined) throw new UsageError(`--${unused} cannot be combined with --draft`);
    const count = numberOf('count', values.count ?? '30', 1, 1_000);
    return { draft: values.draft, count, ...givenAddress(values, environment) };
  }
  if (values.count !== undefined) throw new UsageError('--count needs --draft');
  const [path, ...others] = positionals;
  if (path === undefined || others.length > 0) throw new UsageError('eval needs one file of questions');
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
  if (answers === undefined) throw new UsageError(`--answers must be one of ${ANSWERS.join(', ')}`);
  return answers;
}
